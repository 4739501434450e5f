// Renders one SLS with its includes into one dict of IDs. Each file is rendered once.
import { didYouMean, type Position } from '../../base/mod.ts'
import { type Dict, isList, truthy, type Value } from '../../data/mod.ts'
import type { AutoOrder } from './auto-order.ts'
import type { RenderSls } from './compiler-context.ts'
import { listOf, regulate } from './declarations.ts'
import { indexedByText, resolveInclude, unmarkable } from './include.ts'
import { mergeStates } from './merge-states.ts'
import type { Places, SlsSource } from './places.ts'
import { renderFailure } from './render-error.ts'
import { isDunder } from './text-key.ts'
import type { SlsFile, StateList } from './tree.ts'
import type { CompileError, Matches } from './types.ts'

export interface SlsResult {
  /** A dict of IDs; or another value that the file rendered to, with an error about it. */
  state: Value
  errors: CompileError[]
}

export interface SlsCompiler {
  states: StateList
  render: RenderSls
  places: Places
  order: AutoOrder
  isOrdered: boolean
  /** Rendered files as `env:sls`; a single file outside the tree is not recorded. */
  done: Set<string>
  matches: Matches
}

export async function renderSls(sls: string, saltenv: string, compiler: SlsCompiler): Promise<SlsResult> {
  const file = await compiler.states.file(sls, saltenv)
  if (file) return renderSlsFile(file, sls, saltenv, compiler)
  const text = `Specified SLS ${sls} in saltenv ${saltenv} is not available on the salt master or through a configured fileserver`
  const names = (await compiler.states.has(saltenv)) ? await compiler.states.of(saltenv) : []
  return { state: new Map(), errors: [{ text, hint: didYouMean(sls, names) }] }
}

export async function renderSlsFile(
  file: SlsFile,
  sls: string,
  saltenv: string,
  compiler: SlsCompiler,
): Promise<SlsResult> {
  const errors: CompileError[] = []
  const rendered = await compiler
    .render({ text: file.text, file: file.file, saltenv, sls })
    .catch((error: unknown) => void errors.push(renderFailure(error, sls, saltenv, file.file)))
  compiler.done.add(`${saltenv}:${sls}`)
  if (!rendered || !truthy(rendered.value)) return { state: new Map(), errors }
  const state = rendered.value
  if (!(state instanceof Map)) {
    errors.push({ text: `SLS ${sls} does not render to a dictionary`, at: { file: file.file, line: 1 } })
    return { state, errors }
  }
  const source: SlsSource = { file: file.file, sourceLine: rendered.sourceLine }
  compiler.places.remember(state, source)
  const include = takeInclude(state, sls, compiler.places, errors)
  const placed = include.map((_entry, index) => compiler.places.of(include, index) ?? compiler.places.of(state))
  regulate(state, { sls, saltenv, source, places: compiler.places, errors })
  const includer = { sls, saltenv, path: file.path, environments: [...compiler.matches.keys()] }
  for (const [index, entry] of include.entries()) {
    const targets = await resolveInclude(entry, includer, compiler.states)
    if (typeof targets === 'string') errors.push({ text: targets, at: placed[index] })
    else {
      const including = { state, sls, errors, at: placed[index] }
      for (const name of targets.names) await includeSls(name, targets.saltenv, including, compiler)
    }
  }
  if (compiler.isOrdered) compiler.order.number(state)
  return { state, errors }
}

function takeInclude(state: Dict, sls: string, places: Places, errors: CompileError[]): Value[] {
  const include = state.get('include')
  if (include === undefined) return []
  if (!isList(include)) {
    errors.push({ text: `Include Declaration in SLS ${sls} is not formed as a list`, at: places.of(state, 'include') })
    return []
  }
  places.inherit(state, include)
  state.delete('include')
  return include
}

interface Including {
  state: Dict
  sls: string
  errors: CompileError[]
  /** The place of the include. */
  at: Position | undefined
}

async function includeSls(
  name: string,
  saltenv: string,
  { state, sls, errors, at }: Including,
  compiler: SlsCompiler,
): Promise<void> {
  if (compiler.done.has(`${saltenv}:${name}`)) return
  const included = await renderSls(name, saltenv, compiler)
  if (truthy(included.state)) {
    if (!(included.state instanceof Map)) throw indexedByText(included.state)
    markIncluded(included.state, sls)
    mergeStates(state, included.state, errors, compiler.places)
  }
  errors.push(...included.errors.map((error) => ({ ...error, at: error.at ?? at })))
}

function markIncluded(state: Dict, sls: string): void {
  for (const [id, body] of state) {
    if (isDunder(id)) continue
    if (!(body instanceof Map)) throw unmarkable(body)
    listOf(body, '__sls_included_from__').push(sls)
  }
}
