"""What a contract makes the program send, as lines that a person can compare with a gateway's documents."""

from __future__ import annotations

from keybench.gateway.contract_model import AnswerFields, Contract, SaleForm, Shape


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
        ("look up, next page", contract.look_up_page),
        ("cancel", contract.cancel),
        ("devices", contract.devices),
        ("test of a key", contract.probe.call),
        ("proof that should be refused", contract.proof_refused),
    ):
        if call:
            calls[name] = f"{call}, {keyed}"
    if contract.look_up_next and not contract.look_up_page:
        calls["look up, next page"] = f"GET the address at {' or '.join(contract.look_up_next)}, {keyed}"
    calls["answer about a sale"] = _compared(contract.started)
    for mode, form in contract.sales.items():
        if form.reads != contract.started:
            calls[f"answer to sale {mode.value}"] = _compared(form.reads)
    return calls


def _compared(fields: AnswerFields) -> str:
    """Return what of an answer is compared with what was asked for, and where that stands."""
    named = {
        "amount": fields.amount,
        "currency": fields.currency,
        "device": fields.device,
        "reference": fields.reference,
    }
    told = [f"{name} ({' or '.join(paths)})" for name, paths in named.items() if paths]
    return f"compared with the order: {', '.join(told) or 'nothing'}"


def _sale(form: SaleForm, keyed: str) -> str:
    body = "a form" if form.shape is Shape.FORM else "JSON"
    key = f"{body} with the key as {form.key}" if form.key else f"{body}, {keyed}"
    return f"{form.call}, {key}{', held until the outcome' if form.waits else ''}"
