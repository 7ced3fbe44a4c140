"""Chen, Carlson, Gan, Li and Carin (2016), Santa: figures and tables."""
