"""What a rotation's page explains and asks, in words: sentences that depend on nothing but a name."""

from __future__ import annotations

from typing import Final

CREATE_IN_PORTAL: Final = (
    "This gateway offers no call that makes a key. Make it in the portal with the name, user, permission and kind "
    "above, then bring its value here. It goes into {keystore} and nowhere else."
)
WAIVE_TEXT: Final = (
    "The same calls with both keys are what shows that nothing breaks and nothing more is allowed. Going on "
    "without that needs a reason."
)
DELETE_IN_PORTAL: Final = (
    "Keybench can't delete “{name}” at this gateway. Delete it in the portal, then say so here; Keybench asks the "
    "gateway with it until it is refused."
)
NOT_ASKED: Final = (
    "Nothing is deleted yet. When stages 1 to 3 are done, Delete the old key (below) asks once more and then goes "
    "through these steps."
)
OVERRIDE_TEXT: Final = (
    "Not everything was seen working with the new key. What still uses the old one stops working at once. The "
    "reason goes into the record."
)
TAKE_AS_REFUSED_TEXT: Final = (
    "Keybench would see it refused by itself. Take it as refused only if you know that the gateway refuses it, and "
    "say how you know. Its value is then erased from this computer."
)
DRAFT: Final = (
    "The record as it stands. It has names, fingerprints and what was seen, never a value. Say where it will be "
    "kept, and finish: then the record says so. Save it after that and put it there."
)
FINISHED_TEXT: Final = "Finished. Save the record now; it stays readable here."
LEAKED_TEXT: Final = (
    "A rotation begins at once for a new key with the same user, permission and kind. Nothing is deleted yet: the "
    "applications need the new key first. A list reminds of the access logs and of support."
)
WELCOME: Final = (
    "A rotation replaces a key by a new one without an outage: make the new one, set it in every application, see "
    "each of them work, delete the old one and see it refused, and write down what was done. Every step is kept, so "
    "it can go on tomorrow."
)
ACCEPTED_TEXT: Final = (
    "The gateway accepts the new key from this computer. That doesn't show that {name} works with it: record who "
    "saw it work."
)
SEEN_TEXT: Final = (
    "Somebody saw the application work with the new key after it was changed there. Say what was seen: a sale, a "
    "report, a line in its log."
)
SALE_TEXT: Final = (
    "A small sale shows that the new key sells, not only that it is known. It is kept in the history."
)
SALE_LIVE: Final = "▲ LIVE: a real card is charged, and the money has to be given back by hand."
ABANDON_TITLE: Final = "Abandon this rotation?"
ABANDON_TEXT: Final = (
    "Both keys stay as they are: nothing is deleted, and applications keep the key they have now. What was done so "
    "far stays on record. A new rotation can be started at any time."
)
END_NOW_TEXT: Final = (
    "The planned end becomes this moment. Nothing is deleted by that: the old key goes when you delete it."
)
COMPROMISE_TEXT: Final = (
    "The old key counts as being in wrong hands from now on: no overlap is waited for, and a list of what to do is "
    "kept with the rotation. This isn't taken back."
)
