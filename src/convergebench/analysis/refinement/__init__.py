"""Whether a refinement improved an edit."""
