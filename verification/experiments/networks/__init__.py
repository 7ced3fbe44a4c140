"""Networks, their gradients by backpropagation, and the declared samplers that train them."""
