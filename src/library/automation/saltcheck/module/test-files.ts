// The files with tests of SLS files. They are in `saltcheck-tests` (or the folder in `saltcheck_test_location`) beside
// the SLS file, in its folder, or in the folder of the formula, and end in `.tst`.
import { type Dict, isDict, isList, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export class TestFiles {
  /** States with tests. */
  readonly foundStates: string[] = []
  private readonly ctx: FunctionContext
  private readonly saltenv: Value
  private readonly location: string
  private files = new Set<string>()
  private names: Set<string> | undefined

  private constructor(ctx: FunctionContext, saltenv: Value, location: string) {
    this.ctx = ctx
    this.saltenv = saltenv
    this.location = location
  }

  static async of(ctx: FunctionContext, saltenv: Value): Promise<TestFiles> {
    return new TestFiles(
      ctx,
      saltenv,
      str(await ctx.call('config.get', ['saltcheck_test_location', 'saltcheck-tests'])),
    )
  }

  /** Find the tests of an SLS file and of its includes; a name that is no SLS file is the name of a test file. */
  async add(sls: string, all: boolean): Promise<void> {
    this.names ??= new Set((await this.ctx.call('cp.list_states', [], { saltenv: this.saltenv })).map(str))
    const low = this.names.has(sls)
      ? await this.ctx.call('state.show_low_sls', [sls], { saltenv: this.saltenv, test: true })
      : [new Map<Value, Value>([['__sls__', sls]])]
    const copied = new Set<string>()
    for (const chunk of isList(low) ? low : []) {
      if (!isDict(chunk)) {
        this.ctx.log('error', `low data from show_low_sls is not formed as a dict: ${str(chunk)}`)
        return
      }
      if (chunk.has('__sls__')) await this.addOf(str(chunk.get('__sls__')!), all, copied)
    }
  }

  private async addOf(state: string, all: boolean, copied: Set<string>): Promise<void> {
    for (const folder of this.folders(state)) for (const file of await this.copy(folder, state, all)) copied.add(file)
    if (all) return
    const endings = this.endings(state)
    for (const file of copied) {
      if (!endings.some((ending) => file.endsWith(ending))) continue
      this.files.add(file)
      copied.delete(file)
    }
  }

  private async copy(folder: string, state: string, all: boolean): Promise<string[]> {
    if (this.foundStates.includes(state)) return []
    const options = { saltenv: this.saltenv, include_pat: '*.tst' }
    const files = (await this.ctx.call('cp.cache_dir', [folder], options)).map(str)
    if (files.length > 0 && all) for (const file of files) this.files.add(file)
    else if (files.length > 0) this.foundStates.push(state)
    return files
  }

  /** The nearest folder comes first. */
  private folders(state: string): string[] {
    const parts = state.split('.')
    const places = [parts.join('/'), parts.slice(0, -1).join('/'), parts[0]!]
    const folders = new Set(places.map((place) => `salt://${place}/${this.location}`))
    return [...folders].sort((a, b) => b.length - a.length)
  }

  private endings(state: string): string[] {
    const parts = state.split('.')
    const name = `${parts.at(-1)}.tst`
    const path = (...more: string[]): string => more.filter((part) => part !== '').join('/')
    return [
      path(...parts, this.location, 'init.tst'),
      path(...parts.slice(0, -1), this.location, name),
      path(parts[0]!, this.location, ...parts.slice(1, -1), name),
    ]
  }

  /** The tests of the files that were found since the last call, by name. */
  async load(): Promise<Dict> {
    const tests: Dict = new Map()
    for (const file of this.files) {
      const rendered = await this.ctx.call('slsutil.renderer', [file], { saltenv: this.saltenv })
      if (isDict(rendered)) for (const [name, test] of rendered) tests.set(name, test)
    }
    this.files = new Set()
    return tests
  }
}
