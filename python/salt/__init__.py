"""What users' modules and scripts import of Salt, served by Brine."""
