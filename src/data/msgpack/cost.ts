// What it costs to read a value of a message, counted in values: one number or one short text is 1. A sender pays for time and
// memory, so a message cannot be cheap to send and dear to read.

/** A list takes the memory of two numbers, besides its items. */
export const LIST_COST = 1
/** A mapping takes the memory of four texts, besides its entries. */
export const MAPPING_COST = 3
/** An entry of a mapping is a key and a value. */
export const ENTRY_COST = 2
/** Bytes are objects of their own. */
export const BYTES_COST = 2
/** Dates and constants are slow to read and to write. */
export const EXTENSION_COST = 7

/** Keys of one bucket of a hash table that are passed for the cost of one value. */
const PASSED_KEYS = 64

/** Return what it costs to set a key that is no text beside the keys that are present: a sender can choose numbers of one bucket. */
export const keyCost = (present: number): number => Math.floor(present / PASSED_KEYS)
