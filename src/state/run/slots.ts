// Slots: arguments of the form `__slot__:salt:module.function(…)` are replaced by the function's result right before
// the call.
import type { Log } from '../../base/mod.ts'
import { textOf, traverse, type Value } from '../../data/mod.ts'
import type { Registry } from '../../loader/mod.ts'
import { parseCall } from './parse-call.ts'

const SLOT = '__slot__:'

const isSlot = (value: Value): value is string => typeof value === 'string' && value.startsWith(SLOT)

const mayHoldSlots = (value: Value): boolean => isSlot(value) || value instanceof Map || Array.isArray(value)

export class Slots {
  private readonly functions: Registry
  private readonly log: Log

  constructor(functions: Registry, log: Log) {
    this.functions = functions
    this.log = log
  }

  /** A quick test whether arguments may contain slots. */
  mayBeIn(args: ReadonlyMap<string, Value>): boolean {
    let may = false
    args.forEach((value) => {
      may ||= mayHoldSlots(value)
    })
    return may
  }

  /** Fills the slots of arguments: texts, values of dicts, items of lists and values of dicts in lists. */
  async fill(args: Map<string, Value>): Promise<void> {
    for (const [name, value] of args) {
      if (isSlot(value)) args.set(name, await this.evaluate(value))
      else if (value instanceof Map) await this.fillDict(value)
      else if (Array.isArray(value)) await this.fillList(value)
    }
  }

  private async fillDict(dict: Map<Value, Value>): Promise<void> {
    for (const [key, value] of dict) if (isSlot(value)) dict.set(key, await this.evaluate(value))
  }

  private async fillList(list: Value[]): Promise<void> {
    for (const [index, item] of list.entries()) {
      if (item instanceof Map) await this.fillDict(item)
      else if (isSlot(item)) list[index] = await this.evaluate(item)
    }
  }

  private async evaluate(slot: string): Promise<Value> {
    const [, kind, ...rest] = slot.split(':')
    const text = rest.join(':')
    const call = kind === 'salt' && rest.length > 0 ? parseCall(text) : undefined
    if (!call || !this.functions.has(call.fun)) {
      this.log('warning', `Malformed slot: ${slot}`)
      return slot
    }
    const returned = await this.functions.call(call.fun, call.args, call.kwargs)
    return this.finished(text, returned)
  }

  /** `fun(…).path.in.result ~ text`: a part of the result, and text appended to it. */
  private finished(text: string, returned: Value): Value {
    const tilde = text.indexOf('~')
    const callText = tilde < 0 ? text : text.slice(0, tilde)
    const after = callText.slice(callText.lastIndexOf(')') + 1)
    let result = returned
    if (callText.includes(')') && after !== '') {
      const path = after.slice(after.indexOf('.') + 1).trim()
      if (after.includes('.')) result = traverse(result, path, { delimiter: '.' })
    }
    if (tilde < 0) return result
    const own = textOf(result)
    if (own === undefined) {
      this.log('error', 'Ignoring slot append, slot result is not a string')
      return result
    }
    return own + text.slice(tilde + 1).trim()
  }
}
