// Which renderers a text goes through: what its first line says after `#!`, or the configured pipe. A first line that
// names a program (`#!/bin/sh`) says nothing.
import { lookup } from '../base/mod.ts'

export interface Stage {
  name: string
  /** What follows the name, as one text. */
  args: string
}

/** Pipes from before there were pipes. */
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
