"""The style sheet, written from the tokens: what dynamic properties and widget classes look like."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from keybench.runtime.data_folder import resource_path
from keybench.ui.kit.tokens import DARK, TONES, Tokens

_BASE: Final = """
QWidget#page, QMainWindow, QDialog {{ background: {background}; }}
QToolTip {{ background: {panel}; color: {ink}; border: 1px solid {line}; padding: 4px 8px; }}
QFrame[role="panel"] {{ background: {panel}; border: 1px solid {line}; border-radius: 8px; }}
QFrame[role="card"] {{ background: {panel}; border: 1px solid {line}; border-radius: 8px; }}
QFrame[role="well"] {{ background: {well}; border: 1px solid {line}; border-radius: 8px; }}
QFrame[role="display"] {{ background: {display}; border: 1px solid {field_line}; border-radius: 6px; }}
QFrame[role="display"] QLabel {{
    color: {display_ink}; font-family: "{mono}"; font-size: {px16}px; font-weight: 700;
}}
QFrame[role="line"] {{ background: {line}; border: none; max-height: 1px; min-height: 1px; }}
QFrame#palette {{ background: rgba(0, 0, 0, 22%); border: none; }}
QLabel {{ color: {ink}; background: transparent; border: none; }}
QLabel:disabled {{ color: {dim}; }}
QLabel[role="title"] {{ font-size: {px16}px; font-weight: 700; min-height: {h32}px; }}
QLabel[role="heading"] {{ font-size: {px12}px; font-weight: 700; color: {dim}; }}
QLabel[role="dim"] {{ color: {dim}; }}
QLabel[role="strong"] {{ font-weight: 700; }}
QLabel[role="figure"] {{ font-size: {px18}px; font-weight: 700; }}
QLabel[role="field"] {{ font-size: {px12}px; color: {dim}; }}
QLabel[role="pill"] {{ padding: 1px 6px; border-radius: 4px; font-weight: 700; }}
QLabel[role="pill"][large="true"] {{ padding: 5px 12px; border-radius: 6px; font-size: {px14}px; }}
QLabel[role="mono"] {{ font-family: "{mono}"; font-size: {px12}px; }}
QLabel[role="mono"][large="true"] {{ font-size: {px18}px; font-weight: 700; }}
QLabel#pressed {{
    background: {ink}; color: {panel}; border: 2px solid {panel}; border-radius: 8px; padding: 4px 16px;
    font-size: {px18}px; font-weight: 700; }}
QSplitter::handle {{ background: transparent; }}
QScrollArea {{ background: transparent; border: none; }}
QScrollArea[role="read"] {{ border: 1px solid transparent; border-radius: 6px; }}
QScrollArea[role="read"]:focus {{ border-color: {accent}; }}
QMenu {{ background: {panel}; color: {ink}; border: 1px solid {line}; padding: 4px; }}
QMenu::item {{ padding: 6px 24px 6px 12px; border-radius: 4px; }}
QMenu::item:selected {{ background: {selected}; }}
"""

_BUTTONS: Final = """
QPushButton {{
    background: {panel}; color: {ink}; border: 1px solid {field_line}; border-radius: 6px;
    padding: 0 12px; min-height: {h30}px; outline: none;
}}
QPushButton:hover {{ background: {well}; }}
QPushButton:pressed {{ background: {selected}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 0 11px; min-height: {h28}px; }}
QPushButton:disabled {{ color: {faint}; border-color: {line}; background: {panel}; }}
QPushButton[tone="primary"] {{
    background: {accent}; color: {on_tone}; border-color: {accent}; font-weight: 600; }}
QPushButton[tone="primary"]:hover {{ background: {accent_hover}; }}
QPushButton[tone="primary"]:focus {{ border-color: {ink}; }}
QPushButton[tone="drop"], QPushButton[tone="drop"]:focus {{ padding: 0; min-width: {h24}px; max-width: {h24}px; }}
QPushButton[tone="danger"] {{ background: {bad}; color: {on_tone}; border-color: {bad}; font-weight: 600; }}
QPushButton[tone="danger"]:hover {{ background: {bad_hover}; }}
QPushButton[tone="danger"]:focus {{ border-color: {ink}; }}
QPushButton[tone="risk"] {{ color: {bad}; border-color: {bad}; }}
QPushButton[tone="risk"]:disabled {{ color: {faint}; border-color: {line}; }}
QPushButton[tone="primary"]:disabled, QPushButton[tone="danger"]:disabled {{
    background: {selected}; color: {faint}; border-color: {line}; }}
QPushButton[tone="quiet"] {{ background: transparent; border-color: transparent; color: {accent}; }}
QPushButton[tone="quiet"]:hover {{ background: {well}; }}
QPushButton[tone="quiet"]:focus {{ border-color: {accent}; }}
QPushButton[tone="quiet"]:disabled {{ color: {faint}; border-color: transparent; }}
QPushButton[tone="link"] {{
    background: transparent; border-color: transparent; color: {accent}; padding: 0 4px; min-height: {h20}px; }}
QPushButton[tone="link"]:hover {{ background: {well}; }}
QPushButton[tone="link"]:focus {{ border-color: {accent}; padding: 0 3px; min-height: {h20}px; }}
QPushButton[tone="step"], QPushButton[tone="next"] {{
    background: transparent; border-color: transparent; font-weight: 700; text-align: left;
    padding: 0 4px; min-height: {h20}px; }}
QPushButton[tone="next"] {{ color: {accent}; }}
QPushButton[tone="step"]:hover, QPushButton[tone="next"]:hover {{ background: {well}; }}
QPushButton[tone="step"]:focus, QPushButton[tone="next"]:focus {{
    border-color: {accent}; padding: 0 3px; min-height: {h20}px; }}
QPushButton[tone="step"]:disabled {{ color: {dim}; border-color: transparent; }}
QPushButton[segment="true"] {{
    border-radius: 0; border: 1px solid {field_line}; margin-left: -1px; font-weight: 400; }}
QPushButton[segment="true"]:focus {{ border: 2px solid {accent}; padding: 0 11px; }}
QPushButton[segment="true"]:checked {{ background: {selected}; font-weight: 700; }}
QPushButton[segment="true"][place="first"] {{
    margin-left: 0; border-top-left-radius: 6px; border-bottom-left-radius: 6px; }}
QPushButton[segment="true"][place="last"] {{
    border-top-right-radius: 6px; border-bottom-right-radius: 6px; }}
QPushButton[segment="true"][place="only"] {{ margin-left: 0; border-radius: 6px; }}
"""

_CARDS: Final = """
QPushButton[card="true"] {{
    background: {panel}; border: 1px solid {line}; border-radius: 8px; padding: 0; min-height: 0; }}
QPushButton[card="true"]:hover {{ background: {well}; }}
QPushButton[card="true"][done="true"] {{ border-color: {good}; }}
QPushButton[card="true"]:checked {{ background: {selected}; border: 2px solid {accent}; padding: 0; }}
QPushButton[card="true"]:focus {{ border: 2px solid {ink}; padding: 0; min-height: 0; }}
"""

_FIELDS: Final = """
QLineEdit, QComboBox, QPlainTextEdit, QTextEdit, QSpinBox, QDateEdit {{
    background: {panel}; color: {ink}; border: 1px solid {field_line}; border-radius: 6px;
}}
QLineEdit, QPlainTextEdit, QTextEdit {{
    selection-background-color: {accent}; selection-color: {on_tone}; }}
QLineEdit, QComboBox, QSpinBox, QDateEdit {{ min-height: {h30}px; padding: 0 10px; }}
QPlainTextEdit, QTextEdit {{ padding: 6px; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDateEdit:focus {{
    border: 2px solid {accent}; padding: 0 9px; min-height: {h28}px; }}
QPlainTextEdit:focus, QTextEdit:focus {{ border: 2px solid {accent}; padding: 5px; }}
QLineEdit[invalid="true"], QComboBox[invalid="true"] {{ border-color: {bad}; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled {{ color: {faint}; background: {well}; }}
QLineEdit[role="mono"] {{
    background: transparent; border: 1px solid transparent; padding: 0; min-height: {h22}px;
    font-family: "{mono}"; font-size: {px12}px; }}
QLineEdit[role="mono"][large="true"] {{ font-size: {px20}px; font-weight: 700; }}
QLineEdit[role="mono"]:focus {{ border: 1px solid {accent}; padding: 0; min-height: {h22}px; }}
QPlainTextEdit[role="mono"] {{ font-family: "{mono}"; font-size: {px12}px; }}
QFrame[role="card"] QPlainTextEdit[role="mono"] {{
    background: transparent; border: 2px solid transparent; padding: 0 4px; }}
QFrame[role="card"] QPlainTextEdit[role="mono"]:focus {{ border: 2px solid {accent}; padding: 0 4px; }}
QCheckBox {{ color: {ink}; spacing: 8px; padding: 2px; border: 1px solid transparent; border-radius: 4px; }}
QCheckBox:focus {{ border-color: {accent}; }}
QCheckBox::indicator {{
    width: {px14}px; height: {px14}px;
    background: {panel}; border: 1px solid {field_line}; border-radius: 3px; }}
QCheckBox::indicator:checked {{ background: {accent}; border-color: {accent}; image: url("{tick}"); }}
QComboBox {{ combobox-popup: 0; }}
QComboBox::drop-down, QDateEdit::drop-down {{ border: none; width: {h24}px; }}
QComboBox::down-arrow, QDateEdit::down-arrow {{ image: url("{chevron}"); width: {px12}px; height: {px12}px; }}
QComboBox QLineEdit, QComboBox QLineEdit:focus {{
    border: none; padding: 0; background: transparent; min-height: 0; }}
QComboBox QAbstractItemView, QListView#completions {{
    background: {panel}; color: {ink}; border: 1px solid {line}; padding: 4px; outline: none;
    selection-background-color: {selected}; selection-color: {ink};
}}
QComboBox QAbstractItemView::item, QListView#completions::item {{
    color: {ink}; min-height: {h28}px; padding: 0 6px; border: none; border-radius: 4px; }}
QComboBox QAbstractItemView::item:selected, QListView#completions::item:selected {{ background: {selected}; color: {ink}; }}
"""

_TABLES: Final = """
QTableView {{
    background: transparent; color: {ink}; border: 1px solid transparent; outline: none;
    selection-background-color: {selected}; selection-color: {ink};
}}
QTableView:focus {{ border: 1px solid {accent}; border-radius: 4px; }}
QTableView::item {{ padding: 0 5px; border: none; border-bottom: 1px solid {line}; }}
QTableView::item:selected {{ background: {selected}; color: {ink}; }}
QHeaderView {{ background: transparent; border: none; }}
QHeaderView::section {{
    background: transparent; color: {dim}; border: none; border-bottom: 1px solid {line};
    padding: 0 8px; font-weight: 700; font-size: {px12}px; min-height: {h28}px;
}}
QHeaderView::up-arrow, QHeaderView::down-arrow {{
    subcontrol-position: top center; width: {h22}px; height: 7px; }}
QListWidget {{ background: transparent; color: {ink}; border: 1px solid transparent; outline: none; }}
QListWidget:focus {{ border: 1px solid {accent}; border-radius: 6px; }}
QListWidget::item {{ padding: 6px 8px; border-radius: 6px; color: {ink}; }}
QListWidget::item:hover {{ background: {well}; }}
QListWidget::item:selected {{ background: {selected}; color: {ink}; }}
QTableCornerButton::section {{ background: transparent; border: none; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{
    background: {field_line}; border-radius: 4px; margin: 1px; min-height: 24px; min-width: 24px; }}
QScrollBar::handle:hover {{ background: {dim}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QProgressBar {{ background: {selected}; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 2px; }}
"""

_FRAME: Final = """
QFrame#band[tone="practice"] {{ background: {practice_soft}; border-bottom: 2px solid {practice}; }}
QFrame#band[tone="test"] {{ background: {test_soft}; border-bottom: 2px solid {test}; }}
QFrame#band[tone="live"] {{ background: {live_soft}; border-bottom: 2px solid {live}; }}
QLabel#sentence {{ color: {dim}; }}
QFrame#band[tone="live"] QLabel#sentence {{ color: {live}; font-weight: 700; }}
QComboBox#environment {{ font-weight: 700; padding: 0; padding-{start}: 10px; padding-{end}: 4px; min-height: {h28}px; }}
QFrame#band[tone="practice"] QComboBox#environment {{ color: {practice}; border: 1px solid {practice}; }}
QFrame#band[tone="test"] QComboBox#environment {{ color: {test}; border: 1px solid {test}; }}
QFrame#band[tone="live"] QComboBox#environment {{ color: {live}; border: 1px solid {live}; }}
QFrame#band QComboBox#environment:focus {{
    border-width: 2px; padding-{start}: 9px; padding-{end}: 3px; min-height: {h26}px; }}
QFrame#strip {{ background: {warning_soft}; border: none; border-bottom: 1px solid {warning}; }}
QFrame#strip QLabel {{ color: {warning}; font-weight: 600; }}
QFrame#strip QPushButton {{ min-height: {h26}px; }}
QFrame#marking {{ background: transparent; border: 3px solid {accent}; border-radius: 8px; }}
QLabel#tour-picture {{ background: {background}; }}
QFrame#tour QLabel[role="afar"] {{ font-size: {px28}px; font-weight: 700; }}
QFrame#tour {{ background: {accent_soft}; border: none; border-top: 1px solid {accent}; }}
QFrame#notice {{ background: {panel}; border: none; border-top: 1px solid {line}; }}
QFrame#notice QPushButton {{ padding: 0 8px; min-height: {h22}px; }}
QFrame#notice QPushButton#notices {{ color: {dim}; }}
QFrame#notice QPushButton:focus {{ padding: 0 7px; min-height: {h20}px; }}
QFrame[role="chip"] {{ background: {panel}; border: 1px solid {line}; border-radius: 6px; }}
QFrame[role="chip"][tone="warning"] {{ background: {warning_soft}; border-color: {warning}; }}
QFrame[role="chip"][tone="bad"] {{ background: {bad_soft}; border-color: {bad}; }}
QFrame[role="chip"] QLabel {{ color: {dim}; }}
QFrame[role="chip"][tone="warning"] QLabel {{ color: {warning}; font-weight: 600; }}
QFrame[role="chip"][tone="bad"] QLabel {{ color: {bad}; font-weight: 600; }}
QFrame[role="chip"] QPushButton {{ min-height: {h22}px; padding: 0 6px; border-radius: 4px; }}
QFrame#rail {{ background: {panel}; border: none; border-{end}: 1px solid {line}; }}
QFrame#rail QPushButton {{
    background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 0; min-height: 0; }}
QFrame#rail QPushButton:hover {{ background: {well}; }}
QFrame#rail QPushButton:focus {{ border: 2px solid {accent}; }}
QFrame#rail[tone="practice"] QPushButton:checked {{ background: {practice_soft}; }}
QFrame#rail[tone="test"] QPushButton:checked {{ background: {test_soft}; }}
QFrame#rail[tone="live"] QPushButton:checked {{ background: {live_soft}; }}
"""

#: Where the grounds are all alike, borders tell areas, what is chosen and what has the keyboard apart.
_HIGH: Final = """
QFrame#band {{ border-bottom-width: 4px; }}
QPushButton:focus, QPushButton[segment="true"]:focus {{
    border: 3px solid {accent}; padding: 0 10px; min-height: {h26}px; }}
QPushButton[tone="primary"]:focus, QPushButton[tone="danger"]:focus {{ border-color: {ink}; }}
QPushButton[tone="primary"]:disabled, QPushButton[tone="danger"]:disabled {{ border-style: dashed; }}
QPushButton:disabled {{ border: 1px dashed {line}; }}
QPushButton[segment="true"]:checked {{ background: {ink}; color: {panel}; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDateEdit:focus {{
    border: 3px solid {accent}; padding: 0 8px; min-height: {h26}px; }}
QPlainTextEdit:focus, QTextEdit:focus {{ border: 3px solid {accent}; padding: 4px; }}
QCheckBox:focus {{ border: 2px solid {accent}; padding: 1px; }}
QTableView:focus, QListView:focus {{ border: 2px solid {accent}; }}
QTableView::item:selected, QListView::item:selected {{
    border-top: 2px solid {ink}; border-bottom: 2px solid {ink}; font-weight: 700; }}
QMenu::item:selected, QComboBox QAbstractItemView::item:selected {{ background: {ink}; color: {panel}; }}
QFrame#rail QPushButton:checked {{ border: 2px solid {ink}; }}
QFrame#rail QPushButton:focus {{ border: 3px solid {accent}; }}
"""


def _toned(tokens: Tokens) -> str:
    rules = []
    for tone in TONES:
        colour, soft = tokens.tone(tone), tokens.soft(tone)
        rules.append(f'QLabel[tone="{tone}"] {{ color: {colour}; }}')
        rules.append(f'QLabel[role="pill"][tone="{tone}"] {{ background: {soft}; color: {colour}; }}')
        rules.append(
            f'QFrame#notice[tone="{tone}"] {{ background: {soft}; border-top: 1px solid {colour}; }}'
        )
        rules.append(
            f'QFrame[role="bar"][tone="{tone}"] '
            f"{{ background: {soft}; border: 1px solid {colour}; border-radius: 8px; }}"
        )
        rules.append(f'QFrame[role="card"][tone="{tone}"] {{ border: 1px solid {colour}; }}')
        rules.append(f'QFrame[role="dot"][tone="{tone}"] {{ background: {colour}; border-radius: 4px; }}')
        if tokens.high:
            rules.append(f'QLabel[role="pill"][tone="{tone}"] {{ border: 1px solid {colour} }}')
    return "\n".join(rules)


def _colours(tokens: Tokens) -> dict[str, str]:
    named = {
        name: getattr(tokens, name)
        for name in ("background", "panel", "line", "ink", "dim", "on_tone", "well", "selected", "field_line")
    }
    named |= {tone: tokens.tone(tone) for tone in TONES}
    named |= {f"{tone}_soft": tokens.soft(tone) for tone in TONES}
    return named | {
        "faint": tokens.faint,
        "display": DARK.background,  # of a device, which is lit whatever the window's look
        "display_ink": DARK.good,
        "accent_hover": tokens.hovered("accent"),
        "bad_hover": tokens.hovered("bad"),
    }


def build_stylesheet(tokens: Tokens, *, scale: float, mono: str) -> str:
    """Return the whole style sheet; at scale 1.0 text is 13 px and fields are 32 px high."""
    sizes = {f"px{size}": str(round(size * scale)) for size in (11, 12, 13, 14, 16, 18, 20, 28)}
    heights = {f"h{size}": str(round(size * scale)) for size in (20, 22, 24, 26, 28, 30, 32)}
    look = "dark" if tokens.dark else "light"
    drawings = {name: resource_path(f"icons/{name}-{look}.svg").as_posix() for name in ("chevron", "tick")}
    # Qt mirrors layouts, and no sides that a style sheet names.
    left_first = QGuiApplication.layoutDirection() is not Qt.LayoutDirection.RightToLeft
    sides = {"start": "left", "end": "right"} if left_first else {"start": "right", "end": "left"}
    values = _colours(tokens) | sizes | heights | drawings | sides | {"mono": mono}
    sheet = "".join(part.format_map(values) for part in (_BASE, _BUTTONS, _CARDS, _FIELDS, _TABLES, _FRAME))
    # The tones come before the frame's own rules of equal weight, and after the roles they refine.
    return sheet + _toned(tokens) + (_HIGH.format_map(values) if tokens.high else "")
