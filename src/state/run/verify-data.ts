// Whether a low chunk can be called: it names a state that exists, and has the arguments that must be given.
import { didYouMean } from '../../base/mod.ts'
import { type Dict, str, truthy, typeName, type Value } from '../../data/mod.ts'
import type { StateRegistry } from '../../loader/mod.ts'
import { signatureOf } from '../../sdk/mod.ts'
import { required } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'

const NEEDED = ['state', 'fun', 'name']
const OCTAL = /^\s*\+?(?:0[oO])?_?[0-7]+(?:_[0-7]+)*\s*$/

/** The faults; none means that the chunk may be called. Its `umask` becomes the number that is set. */
export function verifyData(low: LowChunk, states: StateRegistry): string[] | Promise<string[]> {
  const errors: string[] = []
  NEEDED.forEach((key) => {
    if (!low.has(key)) errors.push(`Missing "${key}" data`)
  })
  const name = required(low, 'name')
  if (truthy(name) && typeof name !== 'string') errors.push(noText(name, low))
  if (low.has('umask')) errors.push(...takeUmask(low))
  if (errors.length > 0) return errors
  const module = str(required(low, 'state'))
  const full = `${module}.${str(required(low, 'fun'))}`
  const verify = (): string[] =>
    states.has(full) && states.get(full) ? missingParameters(full, low, states) : notFound(full, low, states)
  return states.isSettled(module) ? verify() : states.load(module).then(verify)
}

/** Return a similar name for a missing state, or why Brine does not have it if the error does not say so. */
export function nearState(low: LowChunk, states: StateRegistry): string | undefined {
  const module = str(low.get('state') ?? '')
  const full = `${module}.${str(low.get('fun') ?? '')}`
  if (states.has(full)) return undefined
  const why = states.absence(module)
  if (why !== undefined) return low.has('__sls__') ? undefined : why
  return didYouMean(full, states.names())
}

function noText(name: Value, low: Dict): string {
  const where = low.has('__sls__') ? `in SLS '${str(low.get('__sls__')!)}' ` : ''
  return `ID '${str(name)}' ${where}is not formed as a string, but is a ${typeName(name)}`
}

function takeUmask(low: LowChunk): string[] {
  const umask = str(low.get('umask')!)
  low.delete('umask')
  if (!OCTAL.test(umask)) return [`Invalid umask: ${umask}`]
  low.set(
    '__umask__',
    Number.parseInt(
      umask
        .trim()
        .replace(/^\+?(0[oO])?/, '')
        .replaceAll('_', ''),
      8,
    ),
  )
  return []
}

function missingParameters(full: string, low: LowChunk, states: StateRegistry): string[] {
  const { positional, required: count } = signatureOf(states.get(full)!, full)
  const missing: string[] = []
  for (let i = 0; i < count; i++) {
    if (!low.has(positional[i]!)) missing.push(`Missing parameter ${positional[i]} for state ${full}`)
  }
  return missing
}

function notFound(full: string, low: LowChunk, states: StateRegistry): string[] {
  if (!low.has('__sls__')) return [`Specified state '${full}' was not found`]
  const sls = str(low.get('__sls__')!)
  return [`State '${full}' was not found in SLS '${sls}'`, `Reason: ${states.missing(full)}`]
}
