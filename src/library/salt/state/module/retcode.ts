// The return code of a run: 1 if it did not compile, 2 if a state failed, unless a state with `onfail` and
// `onfail_stop: false` handled the failure.
import type { Dict, Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export const COMPILER_ERROR = 1
const STATE_FAILURE = 2
export const PILLAR_FAILURE = 5

export function setRetcode(ctx: FunctionContext, ret: Value, high?: Value): void {
  const isList = Array.isArray(ret)
  ctx.memory.set('retcode', isList ? COMPILER_ERROR : isSuccess(ret, high) ? 0 : STATE_FAILURE)
}

export function failCompilation<T>(ctx: FunctionContext, errors: T): T {
  ctx.memory.set('retcode', COMPILER_ERROR)
  return errors
}

/** Return whether all results by tag are successful. */
export function isSuccess(running: Value, high?: Value, isNested = false): boolean {
  if (!(running instanceof Map) || running.size === 0) return false
  for (const [tag, result] of running) {
    const isShaped = tag === '__extend__' ? Array.isArray(result) : result instanceof Map
    let isFine = isNested || isShaped
    if (isFine && result instanceof Map) {
      const outcome = result.get('result')
      if (outcome === false) isFine = false
      else if (outcome === undefined) isFine = isSuccess(result, high, true)
    }
    if (!isFine && !isHandled(tag, result, running, high)) return false
  }
  return true
}

interface Tag {
  state?: string
  id: Value
}

function parseTag(tag: Value): Tag {
  const parts = typeof tag === 'string' ? tag.split('_|-') : []
  return parts.length === 4 ? { state: parts[0]!, id: parts[1]! } : { id: tag }
}

/** Return whether every state that handles this failure has run and succeeded. */
function isHandled(tag: Value, result: Value, running: Dict, high: Value | undefined): boolean {
  if (!(high instanceof Map) || high.size === 0 || !(result instanceof Map)) return false
  const handlers = handlersOf(parseTag(tag), high)
  let verdict: boolean | undefined
  for (const [id, module] of handlers) {
    for (const [otherTag, other] of running) {
      const parsed = parseTag(otherTag)
      if ((parsed.state ?? module) !== module || parsed.id !== id || !(other instanceof Map)) continue
      const outcome = other.get('result')
      if (typeof outcome === 'boolean') verdict = outcome
      if (outcome === false) break
    }
    verdict ??= false
  }
  return verdict ?? false
}

function handlersOf(failed: Tag, high: Dict): Array<[id: Value, module: string]> {
  const handlers: Array<[Value, string]> = []
  for (const [id, body] of high) {
    if (id === failed.id || !(body instanceof Map)) continue
    for (const [module, args] of body) {
      if (typeof module !== 'string' || module.startsWith('__') || !Array.isArray(args)) continue
      const dicts = args.filter((arg): arg is Dict => arg instanceof Map)
      if (!dicts.some((arg) => arg.get('onfail_stop') === false)) continue
      for (const reference of dicts.flatMap((arg) => arg.get('onfail') ?? [])) {
        if (reference === failed.id) handlers.push([id, module])
        if (!(reference instanceof Map)) continue
        for (const [type, name] of reference) {
          if (name === failed.id && (failed.state === undefined || type === failed.state)) handlers.push([id, module])
        }
      }
    }
  }
  return handlers
}
