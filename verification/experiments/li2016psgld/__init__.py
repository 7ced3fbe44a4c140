"""Li, Chen, Carlson and Carin (2016), pSGLD: figures and tables."""
