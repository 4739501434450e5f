// A colour theme: a YAML file that maps colour names to ANSI codes (option `color_theme`).
import { readFileSync } from 'node:fs'
import { BrineError, type Log } from '../base/mod.ts'
import { type Dict, decodeData, isDict } from '../data/mod.ts'
import { load } from '../yaml/mod.ts'

/** The theme in the file; a theme that cannot be read is reported and changes nothing. */
export function readTheme(file: string, log: Log): Dict | undefined {
  try {
    const theme = decodeData(load(readFileSync(file, 'utf8')))
    if (isDict(theme)) return theme
    log('warning', `The theme file ${file} is not a dict`)
  } catch (error) {
    if (!(error instanceof BrineError) && !(error instanceof Error && 'code' in error)) throw error
    log('warning', `Failed to read the color theme ${file}`)
  }
  return undefined
}
