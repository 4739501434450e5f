// Configuration files that are templates: their detection, and the interface of their renderer. Renderers and functions
// are in rooms that import this one, so programs pass the renderer in.
import { statSync } from 'node:fs'
import { ownUser } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { ConfigError } from './errors.ts'

/** A configuration file that has to be rendered. */
export interface ConfigTemplate {
  path: string
  text: string
  /** The pipe of renderers, such as `jinja|yaml`. */
  pipe: string
}

export interface RenderedConfig {
  value: Value
  /** Return the line of the template that wrote a line of the rendered text; both count from 1. */
  sourceLine(line: number): number
}

/**
 * Render a file with the options so far, and record the results of functions in it. Throws a `ConfigError` with file
 * and line.
 */
export type ConfigRenderer = (template: ConfigTemplate, opts: Dict) => Promise<RenderedConfig>

/** The pipe of a file that is a template without saying so. */
export const USUAL_PIPE = 'jinja|yaml'

/** The pipe of files that are never rendered. */
const PLAIN = 'yaml'

const FIRST_LINE = /^#!\s*([a-z0-9_]+(?:\s*\|\s*[a-z0-9_]+)*)\s*$/

/**
 * Return the pipe of a file: from its first line, or from `config_renderer` in the including file. A first line with
 * one word is a comment, unless the word is `jinja` or `yaml`. `yaml` marks a file that must not be rendered.
 */
export function askedPipe(text: string, configured: string | undefined): string | undefined {
  const named = text.startsWith('#!') ? FIRST_LINE.exec(text.split('\n', 1)[0]!)?.[1] : undefined
  if (named === 'jinja') return USUAL_PIPE
  return named !== undefined && (named === PLAIN || named.includes('|')) ? named : configured
}

export const isPlainPipe = (pipe: string | undefined): boolean => pipe === PLAIN

/** Return whether a text, which is no YAML, may be a template. */
export const holdsJinja = (text: string): boolean => /\{\{|\{%/.test(text)

/** Other users than these could run their own code as the user of the program, if their files were rendered. */
export function refuseForeign({ path }: ConfigTemplate): void {
  const { mode, uid } = statSync(path)
  const own = process.geteuid?.() ?? 0
  const why =
    uid !== 0 && uid !== own
      ? `it belongs to user ${uid}, not to root or ${ownUser()}`
      : mode & 0o022
        ? `users other than its owner can write to it (mode ${(mode & 0o777).toString(8).padStart(4, '0')})`
        : undefined
  if (why === undefined) return
  throw new ConfigError('ConfigTemplateFailed', `Configuration file ${path} is a template and is not rendered: ${why}`)
}

/** A key at the beginning of a line, a comment, an item of a list, a statement without output, and lines that belong to these. */
const KEY = /^(?:([\w.-]+)|'([^'{}]*)'|"([^"{}]*)"):(?:\s|$)/
const NO_KEY = /^(?:\s|#|- |-$|---|\.\.\.|\{#.*#\}\s*$|\{%-?\s*(?!include|call|macro|filter)\w+[^%]*%\}\s*$|$)/

/** Return the names of the options that a template sets; undefined if only rendering can tell. */
export function optionNames(text: string): string[] | undefined {
  const names: string[] = []
  for (const line of text.split('\n')) {
    const key = KEY.exec(line)
    if (key) names.push(key[1] ?? key[2] ?? key[3] ?? '')
    else if (!NO_KEY.test(line)) return undefined
  }
  return names
}
