"""What a contract makes the program send, as lines that a person can compare with a gateway's documents."""

from __future__ import annotations

from keybench.gateway.contract_model import Contract, SaleForm, Shape


def calls_of(contract: Contract) -> dict[str, str]:
    """Return each call by its purpose, such as ``status``: ``GET /api/…, Authorization: Bearer {key}``."""
    keyed = f"{contract.key_header}: {contract.key_form}"
    of_status = f"{contract.key_header}: {contract.status_key_form}"
    calls = {f"sale {mode.value}": _sale(form, keyed) for mode, form in contract.sales.items()}
    calls["status"] = f"{contract.status}, {of_status}"
    if contract.long_poll:
        held = f"held up to {contract.long_poll.held_s:g} s"
        calls["long poll"] = f"{contract.long_poll.call}, {of_status}, {held}"
    for name, call in (
        ("look up", contract.look_up),
        ("cancel", contract.cancel),
        ("devices", contract.devices),
        ("test of a key", contract.probe.call),
        ("proof that should be refused", contract.proof_refused),
    ):
        if call:
            calls[name] = f"{call}, {keyed}"
    return calls


def _sale(form: SaleForm, keyed: str) -> str:
    body = "a form" if form.shape is Shape.FORM else "JSON"
    key = f"{body} with the key as {form.key}" if form.key else f"{body}, {keyed}"
    return f"{form.call}, {key}{', held until the outcome' if form.waits else ''}"
