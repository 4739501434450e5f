// Index of the non-text keys of a dict, by a form that equal keys share. Python's equality is not identity (1, 1.0 and
// True are one key, and so are equal bytes), so without this index a key would be compared with all others. A dict that
// is decoded from a received message is built with the index.
import { Float, PyObject, Tuple, type Value } from './value.ts'

/** Return a text that a key shares with all equal keys; undefined if there is none. */
function sharedForm(key: Value): string | undefined {
  switch (typeof key) {
    // as text: texts are hashed with a secret seed, so a sender cannot choose many keys of one bucket
    case 'number':
      return Number.isInteger(key) ? `int ${key}` : `float ${key}`
    case 'boolean':
      return `int ${Number(key)}`
    case 'bigint':
      return `int ${key}`
    case 'string':
      return `str ${key}`
  }
  if (key === null) return 'None'
  // a float equals the int of the same value
  if (key instanceof Float) return `int ${BigInt(key.value)}`
  if (key instanceof Uint8Array)
    return `bytes ${Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')}`
  if (key instanceof Tuple) return tupleForm(key)
  return key instanceof PyObject ? key.sharedForm() : undefined
}

function tupleForm(items: Tuple): string | undefined {
  const forms = items.map(sharedForm)
  if (forms.includes(undefined)) return undefined
  return `tuple ${forms.map((form) => `${form!.length} ${form}`).join(' ')}`
}

export class KeyIndex {
  private readonly stored = new Map<string, Value>()

  /** Return the equal key that was given before, or the key itself when it is the first; undefined for a key without a form. */
  firstEqual(key: Value): Value | undefined {
    const form = sharedForm(key)
    if (form === undefined) return undefined
    const known = this.stored.get(form)
    if (known !== undefined) return known
    this.stored.set(form, key)
    return key
  }
}
