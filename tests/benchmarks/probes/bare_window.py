"""The yardstick: a bare PySide6 window with a table, from process start to its first frame."""

from __future__ import annotations

import sys

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QMainWindow, QTableView


class FirstPaint(QObject):
    """Tells of the window's first frame, and ends the program."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and isinstance(watched, QMainWindow):
            print("shown", flush=True)
            QApplication.quit()
        return False


app = QApplication(sys.argv)
window = QMainWindow()
model = QStandardItemModel(5, 5)
for row in range(5):
    for column in range(5):
        model.setItem(row, column, QStandardItem(f"{row}, {column}"))
table = QTableView()
table.setModel(model)
window.setCentralWidget(table)
window.resize(1440, 900)
watch = FirstPaint()
app.installEventFilter(watch)
window.show()
sys.exit(app.exec())
