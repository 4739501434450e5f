// The site's own Python modules: whether they parse, and whether their imports exist. They run only with --import.
import { join } from 'node:path'
import { option } from '../../config/mod.ts'
import { importModule, type MissingImport, type ScannedModule, scanModules } from '../../python/mod.ts'
import { parsePipe, parseShebang } from '../../render/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import type { OwnModule } from '../site/own-modules.ts'
import { readBounded, textOfFile } from '../site/read-bounded.ts'
import type { Site } from '../site/site.ts'

const USUAL = 'python3'

export const python: Check = {
  name: 'Python modules',
  codes: [
    ...(['python-syntax', 'python-salt-import', 'python-package-import', 'python-import-failed'] as const),
    ...(['python-unchecked', 'file-skipped'] as const),
  ],
  run: (site, ctx) => {
    const files = [...site.own.modules.filter(({ file }) => file.language === 'python').map(fileOf), ...pythonSls(site)]
    const sound = files.filter((file) => isRegular(file, ctx))
    if (sound.length === 0) return
    // a configuration under test may name any program, so the option counts only if running code was requested
    const program = site.request.doesImport ? option(site.serving.opts, 'python_executable') || USUAL : USUAL
    const scanned = scanModules(program, sound, site.own.namesOf('utils'))
    if (typeof scanned === 'string') {
      ctx.report('python-unchecked', { message: `${sound.length} Python modules were not checked: ${scanned}` })
      return
    }
    for (const module of scanned) tellScanned(module, ctx)
    if (site.request.doesImport) importAll(scanned, program, ctx)
  },
}

const RENDERERS = new Set(['py', 'pydsl', 'pyobjects'])

/** SLS files that are Python. */
function pythonSls({ states, pillar }: Site): string[] {
  const all = [...states.files, ...pillar.files].filter(({ path, size }) => path.endsWith('.sls') && size > 0)
  return all.flatMap(({ file }) => {
    const [stage, ...more] = parsePipe(parseShebang(textOfFile(file) ?? '') ?? '')
    return stage !== undefined && more.length === 0 && RENDERERS.has(stage.name) ? [file] : []
  })
}

const fileOf = ({ file: { path } }: OwnModule): string => (path.endsWith('.py') ? path : join(path, '__init__.py'))

function isRegular(file: string, { report }: CheckContext): boolean {
  const bytes = readBounded(file)
  if (typeof bytes === 'string') report('file-skipped', { message: `Not checked: ${bytes}`, at: { file } })
  return typeof bytes !== 'string'
}

function tellScanned(
  { file, problem, syntax, line, python2, missing = [] }: ScannedModule,
  { report }: CheckContext,
): void {
  if (problem !== undefined) report('python-unchecked', { message: problem, at: { file } })
  if (syntax !== undefined) {
    const hint = python2 ? 'The line looks like Python 2' : undefined
    report('python-syntax', { message: `Python: ${syntax}`, at: { file, line }, hint })
  }
  const told = new Set<string>()
  for (const one of missing) {
    if (told.has(one.name)) continue
    told.add(one.name)
    tellMissing(one, file, report)
  }
}

function tellMissing({ kind, name, line, guarded }: MissingImport, file: string, report: CheckContext['report']): void {
  const how = guarded ? ' (only in some cases, or with a fall-back)' : ''
  if (kind === 'salt') {
    const level = guarded ? 'warning' : undefined
    report('python-salt-import', {
      message: `'${name}' is not in Brine's salt package${how}`,
      at: { file, line },
      level,
    })
  } else {
    const level = guarded ? 'note' : undefined
    report('python-package-import', {
      message: `The package '${name}' is not installed here${how}`,
      at: { file, line },
      level,
    })
  }
}

function importAll(scanned: readonly ScannedModule[], program: string, { report, enter }: CheckContext): void {
  for (const { file, syntax, problem } of scanned) {
    if (syntax !== undefined || problem !== undefined || file.endsWith('.sls') || !enter(file)) continue
    const { error, line, problem: failed } = importModule(program, file)
    // the check itself failed, which says nothing about the module
    if (failed !== undefined) report('python-unchecked', { message: failed, at: { file } })
    else if (error !== undefined) report('python-import-failed', { message: error, at: { file, line } })
  }
}
