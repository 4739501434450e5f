// A site as `npm run up` makes it, in a scratch folder, on which the steps of a document are done.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stopAll } from '../../tools/up/daemons.ts'
import { freeSite } from '../../tools/up/free-site.ts'
import { openSite } from '../../tools/up/open-site.ts'
import type { Site } from '../../tools/up/site.ts'
import { type Step, stepsOf } from './blocks.ts'
import { type Ran, Shell } from './shell.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The path of the clone in documents, and the first port of the site. */
const CLONE = '/home/ann/brine'
const PORT = 14_505

/** Return the documents with steps, by path, in the order in which they are run. */
export function documents(): { path: string; steps: Step[] }[] {
  return ['README.md', ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, steps: stepsOf(readFileSync(join(ROOT, path), 'utf8')) }))
    .filter(({ steps }) => steps.length > 0)
}

export class DocumentSite {
  private readonly folder = mkdtempSync(join(tmpdir(), 'brine-docs-'))
  private site: Site | undefined
  private shell: Shell | undefined

  async open(): Promise<void> {
    for (const name of ['examples', 'package.json']) symlinkSync(join(ROOT, name), join(this.folder, name))
    this.site = await freeSite(ROOT, join(this.folder, '.brine'))
    const { events } = await openSite(this.site, async (from, to) => symlinkSync(join(from, 'dist'), to))
    events.close()
    this.shell = new Shell(this.folder, { PATH: `${this.site.bin}:${process.env['PATH']}` })
    // the dry run of every minute would refuse a state run at the same moment; `npm run up` applies the sample states
    await this.shell.run("salt '*' schedule.disable && salt 'web*' state.apply")
  }

  /** Do a step, and return its output in the words of documents. */
  async perform(step: Step): Promise<Ran> {
    if (step.kind === 'file') {
      const path = join(this.folder, step.path)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, step.text)
      return { output: '', status: 0 }
    }
    const { output, status } = await this.shell!.run(this.renamed(step.command, 'real'))
    return { output: this.renamed(output, 'printed'), status }
  }

  /** Replace the path and the ports that documents name by those of this site, or the other way round. */
  private renamed(text: string, to: 'real' | 'printed'): string {
    const pairs = [[CLONE, this.folder], ...[0, 1, 2].map((n) => [`${PORT + n}`, `${this.site!.publishPort + n}`])]
    return pairs.reduce(
      (all, [printed, real]) => (to === 'real' ? all.replaceAll(printed!, real!) : all.replaceAll(real!, printed!)),
      text,
    )
  }

  async close(): Promise<void> {
    this.shell?.close()
    if (this.site) await stopAll(this.site)
    rmSync(this.folder, { recursive: true, force: true })
  }
}
