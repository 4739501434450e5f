// All SLS files that a run asks for, put together to one high data.
import { fnmatchFilter, textOf, truthy, type Value } from '../../data/mod.ts'
import type { TopPlaces } from '../../render/mod.ts'
import { cleanExtends, mergeStates } from './merge-states.ts'
import { renderSls, type SlsCompiler } from './render-sls.ts'
import type { CompileError, HighResult } from './types.ts'

export async function renderHighstate(compiler: SlsCompiler, topPlaces: TopPlaces): Promise<HighResult> {
  const high = new Map<Value, Value>()
  const errors: CompileError[] = []
  for (const [saltenv, names] of compiler.matches) {
    for (const wanted of names) await renderWanted(wanted, saltenv)
  }
  cleanExtends(high)
  return { high, errors }

  async function renderWanted(wanted: Value, saltenv: string): Promise<void> {
    const pattern = textOf(wanted) ?? ''
    const names = await listing(saltenv)
    if (names === undefined) errors.push({ text: `No matching salt environment for environment '${saltenv}' found` })
    const found = names === undefined ? [] : fnmatchFilter(names, pattern)
    // a file may be younger than the listing
    for (const sls of found.length > 0 ? found : [pattern]) {
      if (compiler.done.has(`${saltenv}:${sls}`)) continue
      const rendered = await renderSls(sls, saltenv, compiler)
      if (truthy(rendered.state)) mergeStates(high, rendered.state, rendered.errors, compiler.places)
      for (const error of rendered.errors) errors.push(asNoMatch(error, pattern, saltenv, topPlaces))
    }
  }

  async function listing(saltenv: string): Promise<string[] | undefined> {
    if (await compiler.states.has(saltenv)) return compiler.states.of(saltenv)
    return (await compiler.states.has('__env__')) ? compiler.states.of('__env__') : undefined
  }
}

/** Report the requested name itself, not as a missing SLS among others. */
function asNoMatch(error: CompileError, pattern: string, saltenv: string, topPlaces: TopPlaces): CompileError {
  const isIt = error.text.includes('is not available') && error.text.includes(`SLS ${pattern} in saltenv`)
  if (!isIt) return error
  const text = `No matching sls found for '${pattern}' in env '${saltenv}'`
  return { ...error, text, at: error.at ?? topPlaces.ofSls(saltenv, pattern) }
}
