// Pillar and states, compiled for every known minion; nothing that changes or asks a machine is run meanwhile.
import { rawOption } from '../../config/mod.ts'
import { truthy, type Value } from '../../data/mod.ts'
import type { CompileError, Matches } from '../../state/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import type { Level } from '../codes.ts'
import { type ChunkContext, checkChunk } from '../compile/check-chunk.ts'
import { dryPillar, type MinionPillar } from '../compile/compile-pillar.ts'
import { dryStates, longestInclusion, type MinionStates } from '../compile/compile-states.ts'
import { DryRun } from '../compile/surroundings.ts'
import { PLACEHOLDER } from '../dry/unevaluated.ts'
import type { KnownMinion, Site } from '../site/site.ts'
import { isAside } from '../site/site-tree.ts'
import { checkTemplate } from './templates.ts'

const SLOW_PILLAR = 5000
const SLOW_SLS = 2000
const MANY_SLS = 300
const MANY_STATES = 5000
const LONG_CHAIN = 10

export const compileTrees: Check = {
  name: 'compilation',
  codes: [
    ...([
      'top-invalid',
      'sls-invalid',
      'pillar-invalid',
      'example-failed',
      'state-missing',
      'state-arguments',
    ] as const),
    ...(['state-unknown-argument', 'source-missing', 'function-missing', 'runner-missing', 'not-evaluated'] as const),
    ...(['slow-pillar', 'slow-sls', 'slow-top', 'slow-includes'] as const),
  ],
  run: async (site, ctx) => {
    const all = new Compilation(site, ctx)
    for (const minion of site.minions) await all.minion(minion)
    await all.others()
    all.templates()
  },
}

/** Texts of errors that missing data causes. */
const OF_DATA = /undefined|no attribute|KeyError|NoneType|not iterable|no element|no item|not subscriptable/i
/** Texts of errors that missing files cause. */
const OF_FILES = /No matching|not available|not found|TemplateNotFound|does not exist|find|Cannot extend|requisite/i

/** Texts of errors about states that other files may have. */
const OF_OTHERS = /^Referenced state does not exist|^Cannot extend|is not part of the high state/

class Compilation {
  private readonly site: Site
  private readonly ctx: CheckContext
  private readonly run: DryRun
  /** Files whose result depends on an expression that was not evaluated. */
  private readonly doubtful = new Set<string>()
  /** Whether something of the present minion was not evaluated. */
  private isDoubtful = false
  private readonly reached = new Set<string>()
  private readonly rendered = new Map<string, { path: string; env: string }>()
  private readonly isPillarPartial: boolean

  constructor(site: Site, ctx: CheckContext) {
    this.site = site
    this.ctx = ctx
    this.run = new DryRun(site, { rendered: (file, ms, isDoubtful) => this.note(file, ms, isDoubtful) }, (file) =>
      this.enter(file),
    )
    site.states.entering = (file) => this.enter(file)
    this.isPillarPartial = truthy(rawOption(site.serving.opts, 'ext_pillar') as Value)
  }

  private enter(file: string): boolean {
    const isFine = this.ctx.enter(file)
    if (!isFine) this.isDoubtful = true
    return isFine
  }

  private note(file: string, ms: number, isDoubtful: boolean): void {
    const { report } = this.ctx
    if (ms > SLOW_SLS)
      report('slow-sls', { message: `Rendering took more than ${SLOW_SLS / 1000} seconds`, at: { file } })
    if (!isDoubtful) return
    this.isDoubtful = true
    this.doubtful.add(file)
    const names = this.run.unevaluated.take()
    if (names.length > 0) report('not-evaluated', { message: `Not evaluated: ${names.join(', ')}`, at: { file } })
  }

  async minion(minion: KnownMinion): Promise<void> {
    if (!this.ctx.enter(`minion ${minion.id}`)) return
    this.isDoubtful = false
    const pillar = await dryPillar(this.run, minion)
    this.tellPillar(pillar, minion)
    const states = await dryStates(this.run, minion, pillar.pillar)
    this.tellStates(states, minion)
    await this.chunks(states, minion)
    for (const [env, names] of states.matches) for (const name of names) this.reached.add(`${env}\0${String(name)}`)
  }

  /** Without a real minion, files that no top file names are compiled one by one. */
  async others(): Promise<void> {
    const minion = this.site.minions.find(({ from }) => from === 'example')
    if (!minion) return
    const { pillar } = await dryPillar(this.run, minion)
    for (const { env, path } of this.site.states.files) {
      if (!path.endsWith('.sls') || path.endsWith('top.sls')) continue
      const name = path.replace(/(\/init)?\.sls$/, '').replaceAll('/', '.')
      // a dot in the name of a file or folder looks like a separator of folders
      const isNamed = !path.slice(0, -'.sls'.length).includes('.') && name !== 'init'
      if (!isNamed || isAside(path) || this.reached.has(`${env}\0${name}`)) continue
      this.isDoubtful = false
      const names: Matches = new Map([[env, [name]]])
      const states = await dryStates(this.run, minion, pillar, names)
      // other files may define the states that this one requires
      states.errors = states.errors.filter(({ text }) => !OF_OTHERS.test(text))
      this.tellStates(states, minion)
      await this.chunks(states, minion)
    }
  }

  /** Files that states render. */
  templates(): void {
    for (const { path, env } of this.rendered.values()) {
      const file = this.site.states.find(path, env)
      if (file && this.ctx.enter(file.file)) checkTemplate(file, this.site, this.ctx)
    }
  }

  private tellPillar({ problems, ms }: MinionPillar, minion: KnownMinion): void {
    const { report } = this.ctx
    const isExample = minion.from === 'example'
    for (const { text, at, hint } of problems) {
      if (text.includes(PLACEHOLDER)) continue
      const level: Level | undefined = this.levelOf({ text, at })
      report(isExample ? 'example-failed' : 'pillar-invalid', { message: text, at, hint, minion: minion.id, level })
    }
    if (ms > SLOW_PILLAR) {
      report('slow-pillar', { message: `The pillar took more than ${SLOW_PILLAR / 1000} seconds`, minion: minion.id })
    }
  }

  private tellStates({ top, errors, matches, high, chunks }: MinionStates, minion: KnownMinion): void {
    const { report } = this.ctx
    const isExample = minion.from === 'example'
    const tell = (error: CompileError, code: 'top-invalid' | 'sls-invalid'): void => {
      const { text, at, hint, brief } = error
      // the template uses the placeholder of an unknown value in a way that fails
      if (text.includes(PLACEHOLDER)) return
      const level = this.levelOf(error)
      report(isExample ? 'example-failed' : code, { message: brief ?? text, at, hint, minion: minion.id, level })
    }
    for (const error of top) tell(error, 'top-invalid')
    for (const error of errors) tell(error, 'sls-invalid')
    const count = [...matches.values()].flat().length
    if (count > MANY_SLS || chunks.length > MANY_STATES) {
      report('slow-top', { message: `${count} SLS files, ${chunks.length} states`, minion: minion.id })
    }
    const chain = longestInclusion(high)
    if (chain.length > LONG_CHAIN)
      report('slow-includes', { message: `Files include each other: ${chain.join(' > ')}` })
  }

  /** Return the level of an error; an error with a possibly unknown cause is a note. */
  private levelOf({ text, at }: Pick<CompileError, 'text' | 'at'>): Level | undefined {
    if (at?.file !== undefined && this.doubtful.has(at.file)) return 'note'
    if (this.isDoubtful && OF_FILES.test(text)) return 'note'
    if (this.isPillarPartial && OF_DATA.test(text)) return 'note'
    return this.site.states.isPartial && OF_FILES.test(text) ? 'note' : undefined
  }

  private async chunks({ chunks }: MinionStates, minion: KnownMinion): Promise<void> {
    const isExample = minion.from === 'example'
    const ctx: ChunkContext = {
      site: this.site,
      minion: minion.id,
      level: isExample || this.isDoubtful ? 'note' : undefined,
      report: this.ctx.report,
      template: (path, env) => this.rendered.set(`${env}\0${path}`, { path, env }),
    }
    for (const chunk of chunks) await checkChunk(chunk, ctx)
  }
}
