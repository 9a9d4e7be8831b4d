"""A post-LN encoder of 100 layers: what PyTorch-like weights do to its tokens, and what recommended ones do.

Both are drawn and run: random networks of width 64 and 32 tokens, beside the law. In PyTorch, the standard deviations
and the skips go where the code that `ireneo attention recommend` prints puts them.

    python3 examples/deep_encoder.py
"""
import ireneo
from ireneo import attention

SHAPE = dict(layers=100, width=64, heads=4, mlp_width=256, context=32, normalisation="post", activation="gelu")
usual = attention.transformer(**SHAPE, beta=0.5, value_variance=1.0, mlp_in_variance=1.0, mlp_out_variance=1.0,
                              value_bias_variance=0.0, mlp_bias_variance=0.0)
best = attention.recommend(usual)

print("recommended standard deviations")
for name in ("query", "key", "value", "output", "mlp_in", "mlp_out"):
    print(f"  {name:8} {getattr(best, 'std_' + name):.4f}")
skips, rate = best.transformer.residual_attention, best.assessment.safe_rate
print(f"with skips of strength {skips:.1f}, for learning rates of Adam up to {rate:.2g}")

print("similarity of tokens after layer     1      10     100")
for name, model in (("usual", usual), ("recommended", best.transformer)):
    law, seen = attention.propagate(model).rho, attention.simulate(model, draws=4, forward_only=True).rho
    print(f"  {name:12} law                ", *(f"{law[layer]:.3f}  " for layer in (1, 10, 100)))
    print(f"  {'':12} random networks    ", *(f"{seen.mean[layer]:.3f}  " for layer in (1, 10, 100)))
