/* What is trained where in the diagram. */
#include "lab/figures/training_runs.h"
#include "base/error.h"

const training_point ireneo_training_points[] = {
    {0.3, 0.35}, {0.3, 0.7},  {0.3, 1.4}, {0.3, 3.0},  {0.3, 6.0}, {1.0, 0.35}, {1.0, 0.7},
    {1.0, 1.4},  {1.0, 3.0},  {1.0, 6.0}, {2.0, 0.35}, {2.0, 0.7}, {2.0, 1.4},  {2.0, 3.0},
    {2.0, 6.0},  {4.0, 0.35}, {4.0, 0.7}, {4.0, 1.4},  {4.0, 3.0}, {4.0, 6.0},  {7.0, 0.35},
    {7.0, 0.7},  {7.0, 1.4},  {7.0, 3.0}, {7.0, 6.0},
};
const size_t ireneo_training_point_count = sizeof ireneo_training_points / sizeof *ireneo_training_points;

ireneo_transformer ireneo_training_network(void) {
    ireneo_transformer t;
    (void)ireneo_transformer_preset("small", &t); /* a name that exists */
    t.residual_attention = 1.0;
    t.beta = 1.0; /* both are what the diagram varies */
    return t;
}

ireneo_attention_train_settings ireneo_training_budget(void) {
    return (ireneo_attention_train_settings){
        .steps = 1000, .batch = 24, .rate = 1e-3, .mask = 0.2, .clip = 1.0};
}

void ireneo_training_write_heading(FILE *stream) {
    fprintf(stream,
            "beta,residual,seed,layers,width,heads,context,batch,steps,rate,unigram_entropy,final_loss,"
            "held_out_unigram,held_out_loss,rho_before,rho_after,entropy_before,entropy_after,diverged,"
            "seconds,residual_mlp,value_variance,mlp_in_variance,mlp_out_variance,causal,text,"
            "held_out_bigram,distance,growth,update,half\n");
}

ireneo_error ireneo_training_write_run(FILE *stream, training_point point, uint64_t seed,
                                       const ireneo_attention_train_report *r) {
    ireneo_transformer t = ireneo_training_network();
    ireneo_attention_train_settings s = ireneo_training_budget();
    t.beta = point.beta;
    t.residual_attention = point.residual;
    ireneo_attention_collapse_settings asked = {.rate = s.rate};
    ireneo_attention_assessment a;
    IRENEO_TRY(ireneo_attention_assess(&t, &asked, &a));
    fprintf(stream, "%g,%g,%llu,%zu,%zu,%zu,%g,%zu,%zu,%g,", point.beta, point.residual,
            (unsigned long long)seed, t.layers, t.width, t.heads, t.context, s.batch, s.steps, s.rate);
    fprintf(stream, "%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%d,%.0f,", r->unigram_entropy, r->final_loss,
            r->held_out_unigram, r->held_out_loss, r->rho_before, r->rho_after, r->entropy_before,
            r->entropy_after, r->diverged, r->seconds);
    fprintf(stream, "%g,%g,%g,%g,0,genesis.txt,,%.4g,%.4g,%.4g,\n", t.residual_mlp, t.value_variance,
            t.mlp_in_variance, t.mlp_out_variance, 1.0 - a.rho, a.growth, a.update);
    return IRENEO_OK;
}
