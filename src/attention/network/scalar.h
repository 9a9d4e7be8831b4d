/* The number type of the network: float in the library, double when a test compiles the same sources with
 * IRENEO_NETWORK_DOUBLE to hold gradients against finite differences. The second build has its own names, so
 * that both can live in one program. */
#ifndef IRENEO_ATTENTION_NETWORK_SCALAR_H
#define IRENEO_ATTENTION_NETWORK_SCALAR_H

#ifdef IRENEO_NETWORK_DOUBLE
typedef double ireneo_scalar;
#define ireneo_product                    ireneo_product_double
#define ireneo_softmax_row                ireneo_softmax_row_double
#define ireneo_softmax_again              ireneo_softmax_again_double
#define ireneo_softmax_backward           ireneo_softmax_backward_double
#define ireneo_normalise_rows             ireneo_normalise_rows_double
#define ireneo_normalise_rows_backward    ireneo_normalise_rows_backward_double
#define ireneo_activate                   ireneo_activate_double
#define ireneo_activate_backward          ireneo_activate_backward_double
#define ireneo_hidden_width               ireneo_hidden_width_double
#define ireneo_network_normalise          ireneo_network_normalise_double
#define ireneo_network_normalise_backward ireneo_network_normalise_backward_double
#define ireneo_rms_normalise              ireneo_rms_normalise_double
#define ireneo_rms_normalise_backward     ireneo_rms_normalise_backward_double
#define ireneo_rope_fill                  ireneo_rope_fill_double
#define ireneo_rope_turn                  ireneo_rope_turn_double
#define ireneo_soft_cap                   ireneo_soft_cap_double
#define ireneo_soft_cap_backward          ireneo_soft_cap_backward_double
#define ireneo_is_gated                   ireneo_is_gated_double
#define ireneo_gated                      ireneo_gated_double
#define ireneo_gated_backward             ireneo_gated_backward_double
#define ireneo_gain_control               ireneo_gain_control_double
#define ireneo_gain_control_backward      ireneo_gain_control_backward_double
#define ireneo_ready_query_key            ireneo_ready_query_key_double
#define ireneo_ready_query_key_backward   ireneo_ready_query_key_backward_double
#define ireneo_network_parameters         ireneo_network_parameters_double
#define ireneo_network_layer              ireneo_network_layer_double
#define ireneo_network_draw               ireneo_network_draw_double
#define ireneo_network_trace_create       ireneo_network_trace_create_double
#define ireneo_network_trace_free         ireneo_network_trace_free_double
#define ireneo_attention_forward          ireneo_attention_forward_double
#define ireneo_attention_backward         ireneo_attention_backward_double
#define ireneo_mlp_forward                ireneo_mlp_forward_double
#define ireneo_mlp_backward               ireneo_mlp_backward_double
#define ireneo_network_begin              ireneo_network_begin_double
#define ireneo_network_layer_forward      ireneo_network_layer_forward_double
#define ireneo_network_layer_backward     ireneo_network_layer_backward_double
#define ireneo_language_model_layout      ireneo_language_model_layout_double
#define ireneo_language_model_draw        ireneo_language_model_draw_double
#define ireneo_language_work_create       ireneo_language_work_create_double
#define ireneo_language_work_free         ireneo_language_work_free_double
#define ireneo_language_model_loss        ireneo_language_model_loss_double
#define ireneo_language_model_gradients   ireneo_language_model_gradients_double
#else
typedef float ireneo_scalar;
#endif

#endif
