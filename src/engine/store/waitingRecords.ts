/** Of kind `state`, where memories wait: those that left and are not known to have arrived. */
export const leavingRecordId = 'leaving';
/** Of kind `state`, where they arrive: ids of the last batches that did. */
export const arrivedRecordId = 'arrived';
