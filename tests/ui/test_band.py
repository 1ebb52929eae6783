"""The band: the environment by word, shape and colour; the gateway; where keys are kept."""

import pytest
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.keystore import FakeKeystore
from fakes.waiting import Until
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import (
    KeystoreDenied,
    KeystoreError,
    KeystoreFailed,
    KeystoreGone,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    Lack,
)
from keybench.core.events import GatewayChanged, KeystoreChanged
from keybench.core.secret import Secret
from keybench.runtime.system import System
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.theme import theme
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shell.band import STOP_WAITING, USE_MEMORY, Band
from keybench.words.system import IN_MEMORY
from keybench.workflows.world import World


@pytest.fixture
def band(qtbot: QtBot, environment: Environment) -> Band:
    band = Band(environment)
    qtbot.addWidget(band)
    band.resize(1200, 60)
    band.show()
    return band


def _names(band: Band) -> list[str]:
    box = band.environment_box
    return [box.itemText(row) for row in range(box.count())]


def test_before_any_session_it_shows_practice_and_offers_nothing(band: Band) -> None:
    assert band.environment_box.currentText() == "practice"
    assert not band.environment_box.isEnabled()
    assert band.sentence.text() == "Built-in gateway. No account, no money moves."
    assert not band.strip.isVisible()


def test_the_chooser_is_found_by_name_and_role(band: Band) -> None:
    interface = QAccessible.queryAccessibleInterface(band.environment_box)
    assert interface.role() == QAccessible.Role.ComboBox
    assert interface.text(QAccessible.Text.Name) == "Environment"
    assert interface.text(QAccessible.Text.Value) == "practice"


async def test_an_added_environment_can_be_chosen(band: Band, session: Session, until: Until) -> None:
    band.attach(session)
    added = await session.console.environments.add("sandbox", EnvironmentKind.TEST, "https://gateway.example")
    await until(lambda: _names(band) == ["practice", "sandbox"])
    band.environment_box.activated.emit(1)
    assert session.environment == added
    assert band.sentence.text() == "Test gateway. No money moves."
    assert band.gateway_chip.words.text() == "gateway.example"


async def test_live_is_marked_by_a_word_wherever_its_name_is_another(
    band: Band, session: Session, until: Until
) -> None:
    band.attach(session)
    for name, word in (("Live", False), ("Main street", True)):
        live = await session.console.environments.add(
            name, EnvironmentKind.LIVE, f"https://{name[:4]}.example"
        )
        await until(lambda name=name: name in _names(band))
        session.choose_environment(live)
        assert band.live_word.isVisible() is word
        assert band.sentence.text() == "Real cards, real money."
        assert band._row.property("tone") == "live"


async def test_when_the_shown_environment_is_removed_practice_takes_its_place(
    band: Band, session: Session, until: Until
) -> None:
    band.attach(session)
    added = await session.console.environments.add("sandbox", EnvironmentKind.TEST, "https://gateway.example")
    session.choose_environment(added)
    await session.console.environments.remove(added)
    await until(lambda: session.environment.id == "practice")
    await until(lambda: _names(band) == ["practice"])
    assert band.environment_box.currentText() == "practice"


async def test_the_gateways_state_is_told_by_words(band: Band, session: Session, world: World) -> None:
    band.attach(session)
    for up, address, words in (
        (None, "", "Gateway starting…"),
        (True, "127.0.0.1:8731", "Gateway up · 127.0.0.1:8731"),
        (False, "127.0.0.1:8731", "Gateway down · 127.0.0.1:8731"),
        (False, "", "Gateway down"),
    ):
        world.events.publish(GatewayChanged("practice", up, address))
        assert band.gateway_chip.words.text() == words
    world.events.publish(GatewayChanged("another", True, "elsewhere.example"))
    assert band.gateway_chip.words.text() == "Gateway down"


async def test_keys_in_memory_are_a_warning_for_as_long_as_it_lasts(
    band: Band, session: Session, keystore: FakeKeystore, until: Until
) -> None:
    keystore.durable, keystore.failure = False, KeystoreLocked("test")
    band.attach(session)
    assert band.strip.isVisible()
    assert band.strip.words.text().startswith(IN_MEMORY)
    keystore.durable, keystore.failure = True, None
    band.strip.button.click()
    await until(lambda: not band.strip.isVisible())
    assert band.keystore_chip.words.text() == "Keys kept in Fake Keyring"
    assert band.strip.button.isEnabled()


async def test_a_person_may_use_memory_rather_than_wait(
    band: Band, session: Session, keystore: FakeKeystore, until: Until
) -> None:
    keystore.failure = KeystoreLocked("test")
    band.attach(session)
    assert band.strip.memory.isVisible()
    assert band.strip.memory.accessibleName() == band.strip.memory.text() == USE_MEMORY
    band.strip.memory.click()
    await until(lambda: band.findChild(Dialog))
    (question,) = band.findChildren(Dialog)
    said = " ".join(label.text() for label in question.findChildren(QLabel))
    assert "gone when the window closes" in said
    assert "Live is off" in said
    question.reject()
    await until(lambda: not session.supervisor.is_running("keystore.memory"))
    assert not keystore.in_memory
    await until(lambda: not band.findChildren(Dialog))
    band.strip.memory.click()
    await until(lambda: band.findChild(Dialog))
    buttons = band.findChild(Dialog).findChildren(QPushButton)
    next(button for button in buttons if button.text() == USE_MEMORY).click()
    await until(lambda: band.keystore_chip.words.text() == "Keys in memory only")
    assert band.strip.words.text().startswith(IN_MEMORY)
    assert not band.strip.memory.isVisible()
    assert not session.console.keystore_status.durable


async def test_without_any_keystore_memory_needs_no_asking(
    band: Band, session: Session, keystore: FakeKeystore
) -> None:
    keystore.durable, keystore.failure = False, KeystoreMissing("test")
    band.attach(session)
    assert band.strip.isVisible()
    assert not band.strip.memory.isVisible()
    keystore.durable, keystore.failure = True, None
    assert session.console.keep_in_memory().durable
    assert not band.strip.isVisible()


async def test_the_command_that_brings_a_keystore_is_offered_and_copied(
    band: Band, session: Session, keystore: FakeKeystore, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = System("linux", has_bus_runner=True)
    monkeypatch.setattr("keybench.words.keystore_help.this_system", lambda: found)
    keystore.durable, keystore.failure = False, KeystoreMissing(Lack.BUS)
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    band.attach(session)
    assert band.strip.copy.isVisible()
    band.strip.copy.click()
    command = QGuiApplication.clipboard().text()
    assert command.startswith("dbus-run-session")
    assert command in band.strip.words.text()
    assert [one.text for one in notices] == [command]
    for trouble in (KeystoreLocked("test"), KeystoreMissing("it isn't known why")):
        keystore.failure = trouble
        await session.console.look_at_keystore()
        assert not band.strip.copy.isVisible()


async def test_before_anybody_has_looked_for_a_keystore_nothing_is_wrong(
    band: Band, session: Session, keystore: FakeKeystore
) -> None:
    keystore.durable = False
    band.attach(session)
    assert band.keystore_chip.words.text() == "Looking for your keyring…"
    assert not band.strip.isVisible()


async def test_after_the_session_nothing_reaches_it(band: Band, session: Session, world: World) -> None:
    band.attach(session)
    session.end()
    session.end()
    world.events.publish(GatewayChanged("practice", True, "127.0.0.1:1"))
    assert band.gateway_chip.words.text() == "Gateway not started yet"


async def test_a_keystore_that_asks_is_said_and_can_be_stopped(
    band: Band, session: Session, world: World, keystore: FakeKeystore
) -> None:
    band.attach(session)
    keystore.asking = True
    world.events.publish(KeystoreChanged(keystore.status))
    assert band.keystore_chip.words.text() == "Fake Keyring asks you"
    assert band.strip.words.text().startswith("Fake Keyring asks for your permission")
    assert band.strip.stop.accessibleName() == band.strip.stop.text() == STOP_WAITING
    assert (band.strip.stop.isVisible(), band.strip.button.isVisible()) == (True, False)
    band.strip.stop.click()
    assert keystore.stopped == 1
    world.events.publish(KeystoreChanged(keystore.status))
    assert not band.strip.isVisible()


@pytest.mark.parametrize(
    ("trouble", "place", "said"),
    [
        (KeystoreLocked(), "Fake Keyring is locked", "Unlock it"),
        (KeystoreSilent(), "Fake Keyring gives no answer", "looks again by itself"),
        (KeystoreGone("Fake Keyring"), "Fake Keyring isn't there", "this installation keeps its keys in it"),
        (KeystoreDenied(), "Fake Keyring can't be used", "was refused"),
        (KeystoreFailed(), "Fake Keyring can't be used", "failed"),
    ],
    ids=lambda one: type(one).__name__,
)
async def test_the_band_tells_the_truth_about_a_keystore_in_trouble(
    band: Band, session: Session, keystore: FakeKeystore, trouble: KeystoreError, place: str, said: str
) -> None:
    keystore.failure = trouble
    band.attach(session)
    assert band.keystore_chip.words.text() == place
    assert said in band.strip.words.text()
    assert band.strip.button.isVisible()
    assert band.strip.memory.isVisible()


def test_the_environments_name_keeps_its_room_in_another_size_of_text(band: Band) -> None:
    box = band.environment_box
    theme().choose_text_size("18")
    assert box.minimumWidth() >= box.sizeHint().width()
    assert box.fontMetrics().horizontalAdvance("PRACTICE") < box.minimumWidth()


async def test_a_gateway_that_is_down_is_asked_again_until_it_answers(
    band: Band, session: Session, world: World, clock: MovedClock, until: Until
) -> None:
    band.attach(session)
    sandbox = await session.console.environments.add("sandbox", EnvironmentKind.TEST, "https://down.example")
    session.choose_environment(sandbox)
    asked: list[str] = []
    found = BaseUrlFound.NOT_REACHED

    async def try_connection(
        environment: Environment, base_url: str, _password: Secret | None
    ) -> ConnectionResult:
        asked.append(environment.name)
        return ConnectionResult(base_url, found, 0.01, 401)

    world.gateway.try_connection = try_connection  # type: ignore[method-assign]
    world.events.publish(GatewayChanged(sandbox.id, up=False, address="down.example"))
    assert band.gateway_chip.words.text().startswith("Gateway down")
    await until(lambda: clock.sleepers)
    await clock.advance(31)
    assert asked == ["sandbox", "sandbox"]
    found = BaseUrlFound.GATEWAY
    await clock.advance(15)
    assert band.gateway_chip.words.text() == "Gateway up · down.example"
    await clock.advance(100)
    assert len(asked) == 3
    assert not session.supervisor.running
