"""Normal laws, and how far two are apart, as scripts have them: Python text, by the names it gives."""

_LOG_MEAN = """_log_mean = lambda W, V: -(len(W) * (2 * pi).ln() + _det(W).ln()
                            + np.trace(_inv(W) @ V)) / 2"""
_KL = "_kl = lambda V, W: (np.trace(_inv(W) @ V) + _det(W).ln() - _det(V).ln() - len(V)) / 2"
_W2 = """def _w2(V, W):  # tr(V) + tr(W) - 2 tr((V W)^(1/2)), of one number or of two
    if len(V) == 1: return abs(V[0, 0].sqrt() - W[0, 0].sqrt())
    if len(V) > 2: raise ArithmeticError("a distance in more than two dimensions")
    X = V @ W
    both = np.trace(X) + 2 * _det(X).sqrt()
    return max(np.trace(V) + np.trace(W) - 2 * both.sqrt(), _d(0)).sqrt()"""
_TV = """def _tv(V, W):  # by where two densities are alike
    if len(V) > 1: raise ArithmeticError("a total variation distance in more than one dimension")
    v, w = V[0, 0], W[0, 0]
    if v == w: return _d(0)
    t = (v / w).ln() * v * w / (v - w)
    return abs(_erf((t / v / 2).sqrt()) - _erf((t / w / 2).sqrt()))"""
OF_NORMALS = (("_log_mean", _LOG_MEAN), ("_kl", _KL), ("_w2", _W2), ("_tv", _TV))
