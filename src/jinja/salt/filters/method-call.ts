// `method_call`: calls a method by its name; None if the method does not exist.
import { PyObject, textOf, typeError, typeName, type Value } from '../../../data/mod.ts'
import { attributeOf, methodsOf } from '../../methods/mod.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import type { Kwargs, Runtime } from '../../runtime/runtime.ts'
import { Undefined } from '../../runtime/undefined.ts'

function methodCall(
  rt: Runtime,
  object: Value,
  attribute: Value,
  args: Value[],
  kwargs: Kwargs,
): Value | Promise<Value> {
  const name = textOf(attribute)
  if (name === undefined) throw typeError(`attribute name must be string, not '${typeName(attribute)}'`)
  if (object instanceof Undefined) object.fail()
  if (name.startsWith('_')) return null
  const own = object instanceof PyObject ? object.getAttr(name) : undefined
  if (own !== undefined) return rt.call(own, args, kwargs)
  const methods = methodsOf(object)
  const method = methods && Object.hasOwn(methods, name) ? methods[name] : undefined
  if (method !== undefined) return method.invoke(rt, [object, ...args], kwargs)
  const plain = attributeOf(object, name)
  return plain === undefined ? null : rt.call(plain, args, kwargs)
}

export const methodCallFilters: NativeTable = {
  method_call: native('method_call', ['obj', 'f_name', '*f_args', '**f_kwargs'], (rt, object, name, args, kwargs) =>
    methodCall(rt, object, name, args, kwargs),
  ),
}
