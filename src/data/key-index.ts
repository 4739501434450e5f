// The keys of a dict that are no text, by a value that equal keys share. Equality of Python is not identity (1, 1.0 and True are
// one key, and so are equal bytes), so without this index a key would have to be compared with all others. A dict that is
// built from a message of somebody else is built with it.
import { Float, PyObject, Tuple, type Value } from './value.ts'

/** Return a text that a key shares with all keys that equal it; undefined when there is none. */
function sharedForm(key: Value): string | undefined {
  switch (typeof key) {
    // not the number itself: texts are hashed with a secret, so nobody can choose many of one bucket
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
