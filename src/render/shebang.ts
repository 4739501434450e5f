// Selects the renderers of a text: the pipe after `#!` in its first line, or the configured pipe. A first line with a
// program (`#!/bin/sh`) is ignored.
import { lookup } from '../base/mod.ts'

export interface Stage {
  name: string
  /** The rest after the name, as one text. */
  args: string
}

/** Old names of pipes. */
const OLD_NAMES: Readonly<Record<string, string>> = lookup({
  yaml_jinja: 'jinja|yaml',
  yaml_mako: 'mako|yaml',
  yaml_wempy: 'wempy|yaml',
  json_jinja: 'jinja|json',
  json_mako: 'mako|json',
  json_wempy: 'wempy|json',
  yamlex_jinja: 'jinja|yamlex',
  yamlexyamlex_mako: 'mako|yamlexyamlex',
  yamlexyamlex_wempy: 'wempy|yamlexyamlex',
})

/** The pipe that a text's first line names, or undefined. */
export function parseShebang(text: string): string | undefined {
  const end = text.indexOf('\n')
  const line = end < 0 ? text : text.slice(0, end)
  return line.startsWith('#!') && !line.startsWith('#!/') ? line.slice(2).trim() : undefined
}

export function parsePipe(pipe: string): Stage[] {
  return (OLD_NAMES[pipe] ?? pipe).split('|').map((part) => {
    const stage = part.trim()
    const space = stage.indexOf(' ')
    return space < 0 ? { name: stage, args: '' } : { name: stage.slice(0, space), args: stage.slice(space + 1).trim() }
  })
}
