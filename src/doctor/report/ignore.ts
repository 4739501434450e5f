// Findings that are not wanted: codes of the command line, and lines `CODE [GLOB OF FILES]` of an ignore file.
import { relative } from 'node:path'
import { BrineError, didYouMean } from '../../base/mod.ts'
import { fnmatch } from '../../data/mod.ts'
import { CODES, isCode } from '../codes.ts'
import type { Finding } from '../finding.ts'

export interface IgnoreRule {
  code: string
  /** Pattern of paths, relative to the folder of the ignore file, or absolute. */
  pattern?: string
}

export const IGNORE_FILE = '.brine-doctor-ignore'

/** Parse a rule; `place` names its position, for errors. */
export function readRule(text: string, place: string): IgnoreRule {
  const [code = '', pattern] = text.trim().split(/[\s:]+/, 2)
  if (!isCode(code)) {
    const hint = didYouMean(code, Object.keys(CODES))
    throw new BrineError('UnknownCode', `${place}: there is no code '${code}'`, hint === undefined ? {} : { hint })
  }
  return pattern === undefined ? { code } : { code, pattern }
}

/** Read the rules of an ignore file. */
export function readIgnoreFile(text: string, file: string): IgnoreRule[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: line.replace(/#.*/, '').trim(), place: `${file}:${index + 1}` }))
    .filter(({ line }) => line !== '')
    .map(({ line, place }) => readRule(line, place))
}

export function isIgnoredFinding({ code, file }: Finding, rules: readonly IgnoreRule[], folder: string): boolean {
  return rules.some((rule) => {
    if (rule.code !== code) return false
    if (rule.pattern === undefined) return true
    return file !== undefined && (fnmatch(file, rule.pattern) || fnmatch(relative(folder, file), rule.pattern))
  })
}
