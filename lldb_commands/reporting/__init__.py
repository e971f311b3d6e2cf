"""Answer -> what is printed or written, and what is not: known rings, filters, what was told before."""
