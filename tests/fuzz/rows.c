/* The readers of rows, as figures take them, against arbitrary bytes. */
#include "lab/sweep/row_reader.h"
#include "lab/sweep/threshold_rows.h"

#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    threshold_rows thresholds;
    row_reader reader = {0};
    uint64_t size, sum = 0;
    double number;
    bool found = true;
    (void)ireneo_threshold_rows_parse("fuzz.csv", (const char *)bytes, count, &thresholds);
    for (size_t i = 0; i < thresholds.count; i++) sum += thresholds.rows[i].found.stored;
    ireneo_threshold_rows_free(&thresholds);
    if (ireneo_rows_begin("fuzz.csv", (const char *)bytes, count, &reader) == IRENEO_OK)
        while (ireneo_rows_next(&reader, &found) == IRENEO_OK && found) {
            for (size_t k = 0; k < reader.columns; k++) {
                sum += strlen(reader.fields[k]);
                if (ireneo_rows_size(&reader, reader.names[k], UINT64_MAX, &size) == IRENEO_OK) sum += size;
                (void)ireneo_rows_number(&reader, reader.names[k], &number);
            }
        }
    ireneo_rows_close(&reader);
    return sum == 42 && count == 0; /* all bytes were read */
}
