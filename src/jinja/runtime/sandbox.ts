// Names of Python's internals that every object has. Jinja's sandbox refuses them; so do we, with the same message,
// although nothing stands behind them here.
import { PyObject, type Value } from '../../data/mod.ts'

const OF_OBJECTS = new Set(
  `class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex
   repr setattr sizeof str subclasshook`
    .split(/\s+/)
    .map((word) => `__${word}__`),
)

const OF_CONTAINERS = new Set(
  'contains getitem iter len add mul rmul setitem delitem reversed iadd imul class_getitem or ror ior getnewargs mod rmod'
    .split(' ')
    .map((word) => `__${word}__`),
)

const OF_FUNCTIONS = new Set(
  `call closure code defaults dict get globals kwdefaults module name qualname self wrapped annotations builtins`
    .split(' ')
    .map((word) => `__${word}__`),
)

export function isInternalAttribute(object: Value, name: string): boolean {
  if (OF_OBJECTS.has(name)) return true
  if (object instanceof PyObject) {
    if (name.startsWith('_') && object.getAttr(name) !== undefined) return true
    return OF_FUNCTIONS.has(name) || (name === '__iter__' && object.iterate !== undefined)
  }
  return typeof object === 'object' || typeof object === 'string' ? OF_CONTAINERS.has(name) : false
}
