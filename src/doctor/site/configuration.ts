// The configuration of a site: files of a master and of a minion, read without side effects; unreadable parts are
// reported.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError } from '../../base/mod.ts'
import {
  type ConfigRenderer,
  globFiles,
  masterConfig,
  masterDefaults,
  minionConfig,
  minionDefaults,
  option,
  type Role,
} from '../../config/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../../data/mod.ts'
import { renderText } from '../../render/mod.ts'
import { load, YamlError } from '../../yaml/mod.ts'
import { dryRenderers } from '../dry/renderers.ts'
import { Unevaluated } from '../dry/unevaluated.ts'
import type { Report } from '../finding.ts'
import { readBounded } from './read-bounded.ts'
import type { DoctorRequest, SiteDaemon } from './site.ts'

/** Both daemons that a folder configures; one without a file has its defaults. */
export async function readDaemons(request: DoctorRequest, report: Report): Promise<SiteDaemon[]> {
  return [await readDaemon('master', request, report), await readDaemon('minion', request, report)]
}

async function readDaemon(role: Role, request: DoctorRequest, report: Report): Promise<SiteDaemon> {
  const file = join(request.configDir, role)
  const files = [file, ...globFiles(join(request.configDir, `${role}.d`, '*.conf'))].filter((one) => existsSync(one))
  const isSound = files.map((one) => isReadable(one, report)).every((fine) => fine)
  const opts = isSound ? await loaded(role, file, report) : undefined
  const known = opts ?? (role === 'master' ? masterDefaults() : minionDefaults())
  moveBelow(request.root, known)
  return { role, file, isConfigured: files.length > 0, opts: known, files }
}

/** Whether a file can be read at all. The loader itself leaves broken files out with a line in the log, or stops at the first. */
function isReadable(file: string, report: Report): boolean {
  const bytes = readBounded(file)
  if (typeof bytes === 'string') {
    // an empty device in place of a file is a habit
    if (statSync(file, { throwIfNoEntry: false })?.isCharacterDevice()) return true
    report('config-invalid', { message: `The file cannot be read: ${bytes}`, at: { file } })
    return false
  }
  const text = bytes.toString('utf8')
  try {
    const value = load(bytes, { name: file })
    if (value === null || isDict(value)) return true
    report('config-invalid', { message: 'The file holds no mapping of options', at: { file, line: 1 } })
    return false
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    if (/\{[{%#]/.test(text) || text.startsWith('#!')) return true
    report('config-invalid', { message: error.reason, at: { file, line: error.at?.line ?? 1 }, hint: error.hint })
    return false
  }
}

async function loaded(role: Role, path: string, report: Report): Promise<Dict | undefined> {
  const unevaluated = new Unevaluated()
  const render: ConfigRenderer = async (template, opts) => {
    const context = { opts, grains: new Map(), pillar: new Map(), path: template.path, positions: true, strict: true }
    return renderText(template.text, { ...context, renderer: template.pipe, renderers: dryRenderers(unevaluated) })
  }
  try {
    const request = { path, env: {}, render, isLook: true }
    return role === 'master' ? await masterConfig(request) : await minionConfig({ ...request, rememberId: false })
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const at = { file: error.at?.file ?? path, line: error.at?.line }
    report('config-invalid', { message: error.reason, at, hint: error.hint })
    return undefined
  }
}

const PATHS = ['pki_dir', 'cachedir', 'sock_dir', 'extension_modules']

/** Let paths of the options lead into the copy of a file system. */
function moveBelow(root: string, opts: Dict): void {
  if (root === '/') return
  const moved = (path: Value): Value => (typeof path === 'string' && path.startsWith('/') ? join(root, path) : path)
  for (const name of PATHS) opts.set(name, moved(opts.get(name) ?? ''))
  for (const name of ['file_roots', 'pillar_roots']) {
    const roots = opts.get(name)
    if (!(roots instanceof Map)) continue
    const inside = [...roots].map(([env, folders]): [Value, Value] => [env, isList(folders) ? folders.map(moved) : []])
    opts.set(name, new Map(inside))
  }
  opts.set(
    'module_dirs',
    option(opts, 'module_dirs').map((folder) => moved(str(folder))),
  )
}
