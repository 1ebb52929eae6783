"""Everything Qt: the window, its pages, panels, dialogs and looks."""
