// Jinja: what Salt's renderer makes of a template (cases/jinja/README.md).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Dict, Value } from '../../../src/data/mod.ts'
import { moduleTable, Registry } from '../../../src/loader/mod.ts'
import { type FileTree, RenderError, renderJinja, renderText } from '../../../src/render/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { decodeTyped } from '../typed-json.ts'

/** The recordings write the file root, the cache and the directory above both as these. */
const ROOT = '<ROOT>'
const CACHE = '<CACHE>'
const FILES = '<SRV>'

const ID = 'web01.example.com'

/** The files of a case, as environment `base` serves them. */
class CaseTree implements FileTree {
  private readonly files: Readonly<Record<string, string>>

  constructor(files: Readonly<Record<string, string>>) {
    this.files = files
  }

  async read(path: string, saltenv: string) {
    const text = saltenv === 'base' && Object.hasOwn(this.files, path) ? this.files[path] : undefined
    return text === undefined ? undefined : { text, file: `${FILES}/${path}` }
  }
}

/** Puts the files where filters that open them look: the placeholder is a path below the current directory. */
async function amongFiles<T>(files: Readonly<Record<string, string>>, run: () => Promise<T>): Promise<T> {
  const before = process.cwd()
  const directory = mkdtempSync(join(tmpdir(), 'brine-conformance-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(directory, FILES, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    process.chdir(directory)
    return await run()
  } finally {
    process.chdir(before)
    rmSync(directory, { recursive: true })
  }
}

function dict(json: unknown): Dict {
  return decodeTyped((json ?? {}) as Json) as Dict
}

function minionOptions(testCase: Case): Dict {
  return new Map<Value, Value>([
    ['id', ID],
    ['file_client', 'local'],
    ['root_dir', ROOT],
    ['cachedir', CACHE],
    ['file_roots', new Map<Value, Value>([['base', [FILES]]])],
    ['saltenv', null],
    ['renderer', 'jinja|yaml'],
    ...dict(testCase['opts']),
  ])
}

async function rendered(testCase: Case): Promise<string> {
  const opts = minionOptions(testCase)
  const grains: Dict = new Map([...dict(testCase['grains']), ['id', ID]])
  const pillar = dict(testCase['pillar'])
  opts.set('grains', grains)
  opts.set('pillar', pillar)
  const path = testCase['path'] as string | undefined
  const tree = new CaseTree((testCase['files'] ?? {}) as Record<string, string>)
  const functions: Registry = new Registry(moduleTable, {
    opts,
    grains,
    pillar,
    masked: false,
    render: async ({ text, ...request }) =>
      (await renderText(text, { ...request, opts, grains, pillar, functions, tree })).value,
  })
  const { text } = await renderJinja(testCase['template'] as string, {
    opts,
    grains,
    pillar,
    functions,
    saltenv: (testCase['saltenv'] as string | undefined) ?? 'base',
    ...(testCase['mode'] === 'file' ? {} : { sls: (testCase['sls'] as string | undefined) ?? '' }),
    path: path === undefined ? undefined : `${FILES}/${path}`,
    context: dict(testCase['context']) as Map<string, Value>,
    tree,
  })
  return text
}

const jinja: Area = {
  name: 'jinja',
  async run(testCase: Case): Promise<Outcome> {
    try {
      const files = (testCase['files'] ?? {}) as Record<string, string>
      const render = () => rendered(testCase)
      return { expect: Object.keys(files).length > 0 ? await amongFiles(files, render) : await render() }
    } catch (error) {
      if (!(error instanceof RenderError)) throw error
      return { error: { class: error.code, error: error.error, message: error.message, line: error.line } }
    }
  },
}

export default jinja
