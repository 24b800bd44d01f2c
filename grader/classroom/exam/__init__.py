"""An exam on the instructor's side: collects what is handed in, and shows how far everyone is."""
