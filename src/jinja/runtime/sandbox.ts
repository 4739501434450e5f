// Names of Python's internals. Jinja's sandbox refuses them with a special message, and so does Brine, although they do
// not exist here. The type decides between that message and "has no attribute".
import { OrderedDict, PyObject, typeName, type Value } from '../../data/mod.ts'

const dunder = (words: string): Set<string> => new Set(words.split(/\s+/).map((word) => `__${word}__`))

const EVERY_OBJECT = dunder(
  `class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex repr
   setattr sizeof str subclasshook`,
)

const SEQUENCE = 'add contains getitem iter len mul rmul'
const TEXT = `${SEQUENCE} getnewargs mod rmod`
const MAPPING = 'class_getitem contains delitem getitem ior iter len or reversed ror setitem'
const FLOAT = `abs add bool ceil divmod float floor floordiv getnewargs int mod mul neg pos pow radd rdivmod rfloordiv rmod rmul
 round rpow rsub rtruediv sub truediv trunc`
const INT = `${FLOAT} and index invert lshift or rand rlshift ror rrshift rshift rxor xor`
const KEYS = 'and contains iter len or rand reversed ror rsub rxor sub xor'
const INSTANCE = 'dict module weakref'

/** By type name: the internals besides those of every object. */
const OF_TYPE: Readonly<Record<string, ReadonlySet<string>>> = {
  __proto__: null as never,
  str: dunder(TEXT),
  list: dunder(`${SEQUENCE} class_getitem delitem iadd imul reversed setitem`),
  tuple: dunder(`${SEQUENCE} class_getitem getnewargs`),
  dict: dunder(MAPPING),
  set: dunder('and class_getitem contains iand ior isub iter ixor len or rand ror rsub rxor sub xor'),
  int: dunder(INT),
  bool: dunder(INT),
  float: dunder(`${FLOAT} getformat`),
  bytes: dunder(`${TEXT} bytes`),
  NoneType: dunder('bool'),
  'datetime.date': dunder('add radd rsub sub'),
  'datetime.datetime': dunder('add radd rsub sub'),
  range: dunder('bool contains getitem iter len reversed'),
  dict_keys: dunder(KEYS),
  dict_items: dunder(KEYS),
  dict_values: dunder('iter len reversed'),
  generator: dunder('del iter name next qualname'),
  function: dunder('annotations builtins call closure code defaults dict get globals kwdefaults module name qualname'),
  builtin_function_or_method: dunder('call module name qualname self text_signature'),
  type: dunder(`${MAPPING} base bases basicsize call dict module mro name qualname subclasses text_signature`),
  Markup: dunder(`${TEXT} html html_format module radd slots`),
  LoopContext: new Set([
    ...dunder(`${INSTANCE} annotations call iter len next`),
    ...'_after _before _current _iterable _iterator _last_changed_value _length _peek_next _recurse _to_iterator _undefined'.split(
      ' ',
    ),
  ]),
  Macro: new Set([
    ...dunder(`${INSTANCE} call`),
    ...'_argument_count _async_invoke _default_autoescape _environment _func _invoke'.split(' '),
  ]),
  Cycler: dunder(`${INSTANCE} next`),
  Joiner: dunder(`${INSTANCE} call`),
  TemplateReference: new Set([...dunder(`${INSTANCE} getitem`), '_TemplateReference__context']),
  BlockReference: new Set([...dunder(`${INSTANCE} call`), ...'_async_call _context _depth _stack'.split(' ')]),
  TemplateModule: new Set([...dunder(`${INSTANCE} html name`), '_body_stream']),
}

const UNKNOWN_OBJECT = new Set([...dunder(`${INSTANCE} call`), ...OF_TYPE['function']!])
const NONE: ReadonlySet<string> = new Set()

export function isInternalAttribute(object: Value, name: string): boolean {
  const type = typeName(object)
  // a namespace answers for its own names only
  if (type === 'Namespace') return name === '__class__' || (object as PyObject).getAttr(name) !== undefined
  if (EVERY_OBJECT.has(name)) return true
  if (object instanceof OrderedDict) return OF_TYPE['dict']!.has(name) || name === '__dict__'
  const own = OF_TYPE[type] ?? (object instanceof PyObject ? UNKNOWN_OBJECT : NONE)
  return own.has(name) || (object instanceof PyObject && object.getAttr(name) !== undefined)
}
