"""Servers on the loopback interface that speak the providers' wire protocols."""
