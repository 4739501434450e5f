// Reads configuration files in Salt's order: the main file, then those of `default_include`, then those of `include`.
// Mappings of an included file are merged into earlier ones; options of a main file are replaced. Templates are
// rendered after all plain files are read, and merged at their own position.
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isAnyError, type Log, recover, toError, wrapLog } from '../base/mod.ts'
import { type Dict, deepCopy, isDict, isList, str, textOf, truthy, update, type Value } from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import { globFiles } from './glob.ts'
import { isRegularFile, type Opening, openConfigFile, optionsIn } from './read-file.ts'
import { type Sources, sourcesIn } from './source.ts'
import { type ConfigRenderer, type ConfigTemplate, optionNames, refuseForeign } from './templates.ts'

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

export interface FileRequest {
  /**
   * The kind of configuration, which determines the names of the file, its environment variable and the included
   * folder.
   */
  role: 'master' | 'minion' | 'proxy' | 'cloud' | 'cloud.providers' | 'cloud.profiles'
  /** The main file as the command line gives it. */
  path: string
  env: ProcessEnvironment
  log: Log
  /** Renders files that are templates. Default: such files are an error. */
  render?: ConfigRenderer | undefined
  /** Return the options that follow from the files so far: templates see these. */
  settle(overrides: Dict, sources: Sources): Promise<Dict>
  /** Whether the program needs an option. A template that sets no needed option is left out. */
  needs?: ((name: string) => boolean) | undefined
  /** Whether the files are only looked at: nothing is written or renamed. */
  isLook?: boolean | undefined
  /** The id of a proxy minion: its files are in a folder of that name beside the ones that all proxy minions have in common. */
  proxyId?: string | undefined
  /** Whether a broken included file is an error. Otherwise it is logged and skipped. */
  isStrict?: boolean | undefined
}

export interface FilesRead {
  overrides: Dict
  sources: Sources
}

/** Return the default main file. */
export const defaultConfig = (role: FileRequest['role']): string => `/etc/salt/${role}`

/** Read all files. Templates are rendered once all plain files are read. */
export async function readConfigFiles(request: FileRequest): Promise<FilesRead> {
  const log = onceLog(request.log)
  const rendered: RenderedFiles = new Map()
  let found = walk({ ...request, log }, rendered)
  if (found.waiting.length === 0) return found
  const rendering = new Rendering(request, rendered)
  while (found.waiting.length > 0) {
    await rendering.renderOne(found)
    found = walk({ ...request, log }, rendered)
  }
  return found
}

/** The same files are walked through again after each template. */
function onceLog(log: Log): Log {
  const told = new Set<string>()
  return wrapLog(log, (inner) => (level, text) => {
    if (told.has(text)) return
    told.add(text)
    inner(level, text)
  })
}

interface RenderedFile {
  options: Dict
  sources: Sources
}

/** Rendered templates by path. */
type RenderedFiles = Map<string, RenderedFile>

interface Walked {
  overrides: Dict
  sources: Sources
  /** Templates that are not rendered yet, in the order of the files. */
  waiting: ConfigTemplate[]
}

/** Merge all files in their order; a template counts as empty until it is rendered. */
function walk(request: FileRequest, rendered: RenderedFiles): Walked {
  const { path, log, isLook, isStrict } = request
  const walked: Walked = { overrides: new Map(), sources: new Map(), waiting: [] }
  const noun = DEFINITIONS[request.role]
  walked.overrides = readMainFile(mainPath(request), { walked, rendered, log, isLook, noun })
  const { overrides } = walked
  const defaultInclude = overrides.get('default_include') ?? usualInclude(request.role)
  const include = overrides.get('include') ?? []
  const pipe = pipeFor(overrides)
  const groups: Array<[Value, boolean]> = [[defaultInclude, false]]
  // as in Salt, files of `include` override those of one proxy minion
  if (request.proxyId !== undefined) groups.push([ownInclude(str(defaultInclude), request.proxyId), false])
  groups.push([include, true])
  for (const [patterns, warn] of groups) {
    for (const [key, value] of included(patterns, path, {
      warn,
      walked,
      rendered,
      log,
      pipe,
      isLook,
      isStrict,
      noun,
    })) {
      overrides.set(key, value)
    }
  }
  return walked
}

/** The definitions in the keys of files, each of which must be unique. */
const DEFINITIONS: Partial<Record<FileRequest['role'], string>> = {
  'cloud.providers': 'provider',
  'cloud.profiles': 'profile',
}

/** The files that are included without being named. */
const usualInclude = (role: FileRequest['role']): string =>
  role === 'cloud' ? 'cloud.conf.d/*.conf' : `${role}.d/*.conf`

/** `proxy.d/*.conf` is `proxy.d/ID/*.conf` for one proxy minion. */
const ownInclude = (pattern: string, id: string): string => join(dirname(pattern), id, basename(pattern))

/** `config_renderer` of a file counts for the files that it includes. */
const pipeFor = (options: Dict): string | undefined => textOf(options.get('config_renderer') ?? null)

/** Renders templates one after the other, each with the options of all files that are known by then. */
class Rendering {
  private readonly request: FileRequest
  private readonly rendered: RenderedFiles
  /** Templates that failed since the last one was rendered: they may need options of other templates. */
  private readonly failed = new Map<string, ConfigError>()
  private isRetry = false

  constructor(request: FileRequest, rendered: RenderedFiles) {
    this.request = request
    this.rendered = rendered
  }

  /** Render the first template that can be; throw the error of the first one when none can. */
  async renderOne(walked: Walked): Promise<void> {
    for (const template of walked.waiting) {
      if (this.failed.has(template.path)) continue
      try {
        this.rendered.set(template.path, await this.options(template, walked))
        this.isRetry ||= this.failed.size > 0
        return
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        this.failed.set(template.path, error)
      }
    }
    const first = this.failed.get(walked.waiting[0]!.path)!
    if (!this.isRetry) throw first
    this.isRetry = false
    this.failed.clear()
  }

  private async options(template: ConfigTemplate, { overrides, sources }: Walked): Promise<RenderedFile> {
    const { path, text } = template
    const { needs, render, settle, log } = this.request
    const named = needs && optionNames(text)
    if (named && !named.some(needs)) {
      log('debug', `Configuration file ${path} is a template without options for this program, and is not rendered`)
      return { options: new Map(), sources: new Map() }
    }
    if (!render) {
      throw new ConfigError(
        'ConfigTemplateFailed',
        `Configuration file ${path} is a template, which cannot be rendered here`,
      )
    }
    refuseForeign(template)
    log('debug', `Rendering configuration file ${path} with ${template.pipe}`)
    const { value, sourceLine } = await render(template, await settle(deepCopy(overrides), sources))
    const options = optionsIn(value, path)
    return { options, sources: sourcesIn(options, path, sourceLine) }
  }
}

/** An environment variable counts only for the usual place: a directory given on the command line wins. */
function mainPath({ role, path, env }: FileRequest): string {
  if (path !== defaultConfig(role)) return path
  const folder = env['SALT_CONFIG_DIR']
  const named = env[`SALT_${role.toUpperCase().replace('.', '_')}_CONFIG`] || (folder ? join(folder, role) : undefined)
  return named !== undefined && isRegularFile(named) ? named : path
}

function readMainFile(path: string, { walked, rendered, log, isLook, noun }: Omit<Inclusion, 'warn'>): Dict {
  if (!isLook && !existsSync(path)) copyTemplate(path, log)
  if (!isReadable(path)) {
    log('debug', `Missing configuration file: ${path}`)
    return new Map()
  }
  const options = optionsOf(path, { walked, rendered, log, noun }, () => openConfigFile(path, { log, isLook }))
  options.set('conf_file', path)
  return options
}

/** Return the options of a file, with their places noted; none for a template that waits. */
function optionsOf(path: string, reading: Reading, open: () => Dict | ConfigTemplate): Dict {
  const { walked, rendered } = reading
  const known = rendered.get(path)
  if (known) {
    noteSources(known.sources, reading)
    return deepCopy(known.options)
  }
  const opened = open()
  if (isDict(opened as Value)) {
    noteSources(sourcesIn(opened as Dict, path), reading)
    return opened as Dict
  }
  walked.waiting.push(opened as ConfigTemplate)
  return new Map()
}

/** Note where options are set; warn of a definition that another file has as well. */
function noteSources(sources: Sources, { walked, noun, log }: Reading): void {
  for (const [name, at] of sources) {
    const before = walked.sources.get(name)
    walked.sources.set(name, at)
    if (noun === undefined || before === undefined || before.file === at.file || ABOUT_FILES.has(name)) continue
    const first = `${before.file}, line ${before.line}`
    const then = `${at.file}, line ${at.line}`
    log(
      'warning',
      `The ${noun} '${name}' is defined in ${first} and again in ${then}, whose settings count where both set one`,
    )
  }
}

/** Keys that are about the files themselves. */
const ABOUT_FILES: ReadonlySet<string> = new Set(['conf_file', 'include', 'default_include', 'config_renderer'])

function isReadable(path: string): boolean {
  return recover(isAnyError, false, () => {
    accessSync(path, constants.R_OK)
    return true
  })
}

/** A package may bring `minion.template` instead of `minion`; its first line is a remark. */
function copyTemplate(path: string, log: Log): void {
  const template = `${path}.template`
  if (!isRegularFile(template)) return
  log('debug', `Writing ${path} based on ${template}`)
  const text = readFileSync(template, 'utf8')
  writeFileSync(path, text.slice(text.indexOf('\n') + 1 || text.length))
}

interface Reading {
  walked: Walked
  rendered: RenderedFiles
  log: Log
  /** The kind of definition that keys are, if a key in two files is worth a warning. */
  noun?: string | undefined
}

interface Inclusion extends Reading, Opening {
  warn: boolean
  /** Files that are being read, to detect files that include each other. */
  open?: readonly string[]
  isStrict?: boolean | undefined
}

function included(patterns: Value, from: string, inclusion: Inclusion): Dict {
  const configuration: Dict = new Map()
  const text = textOf(patterns)
  const list = text !== undefined ? [text] : isList(patterns) ? patterns : []
  for (const pattern of truthy(patterns) ? list : []) {
    const path = absolute(str(pattern), from)
    const files = globFiles(path)
    if (files.length === 0 && inclusion.warn) {
      const what = `"include" path/glob '${path}' matches no files`
      inclusion.log('warning', `Warning parsing configuration file: ${what}`)
    }
    for (const file of files.sort()) addFile(configuration, file, inclusion)
  }
  return configuration
}

function addFile(configuration: Dict, file: string, inclusion: Inclusion): void {
  const { log, open = [] } = inclusion
  if (open.includes(file)) {
    throw new ConfigError('ConfigFileInvalid', `Configuration files include each other: ${[...open, file].join(', ')}`)
  }
  log('debug', `Including configuration from '${file}'`)
  const options = optionsOf(file, inclusion, () => openIncluded(file, inclusion))
  const schedule = options.get('schedule')
  const known = configuration.get('schedule')
  if (isDict(schedule ?? null) && isDict(known ?? null)) {
    for (const [name, job] of schedule as Dict) (known as Dict).set(name, job)
  }
  const include = options.get('include') ?? null
  const pipe = pipeFor(options) ?? inclusion.pipe
  const inner = included(include, file, { ...inclusion, pipe, open: [...open, file] })
  for (const [key, value] of inner) options.set(key, value)
  update(configuration, options, { mergeLists: true })
}

/** A broken or unreadable included file is reported and left out, so that the rest still counts. */
function openIncluded(file: string, inclusion: Inclusion): Dict | ConfigTemplate {
  const { log } = inclusion
  try {
    return openConfigFile(file, inclusion)
  } catch (error) {
    if (inclusion.isStrict) throw error
    if (error instanceof ConfigError) log('error', error.message)
    else log('error', `Failed to read configuration file ${file}: ${toError(error).message}`)
    return new Map()
  }
}

function absolute(pattern: string, from: string): string {
  const path = /^~(\/|$)/.test(pattern) ? homedir() + pattern.slice(1) : pattern
  return isAbsolute(path) ? path : join(dirname(from), path)
}
