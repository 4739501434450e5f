// The cost of decoding a value, in units of one number or short text. A sender pays for time and memory, so a message
// cannot be cheap to send and expensive to decode.

/** A list takes the memory of two numbers, besides its items. */
export const LIST_COST = 1
/** A mapping takes the memory of four texts, besides its entries. */
export const MAPPING_COST = 3
/** An entry of a mapping is a key and a value. */
export const ENTRY_COST = 2
/** Each byte string is a separate object. */
export const BYTES_COST = 2
/** Dates and constants are slow to read and to write. */
export const EXTENSION_COST = 7

/** Keys of one bucket of a hash table that are passed for the cost of one value. */
const PASSED_KEYS = 64

/** Return the cost of setting a non-text key beside the present keys: a sender can choose numbers of one bucket. */
export const keyCost = (present: number): number => Math.floor(present / PASSED_KEYS)
