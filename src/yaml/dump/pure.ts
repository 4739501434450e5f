// Writes documents like PyYAML's own emitter without libyaml, which `salt.utils.yaml.dump` uses without a dumper class,
// and the yamlex serializer.

import { quote } from '../../data/mod.ts'
import { YamlError } from '../errors.ts'
import { resolvePlain } from '../resolve.ts'
import { MAP, SEQ, STR, YAML_PREFIX } from '../tags.ts'
import { type Analysis, analyzeScalar, PURE } from './analyze.ts'
import { Emitter, type EmitterContext } from './emitter.ts'
import type { DumpNode, ScalarStyle } from './node.ts'
import {
  blockHints,
  writeDoubleQuoted,
  writeFolded,
  writeLiteral,
  writePlain,
  writeSingleQuoted,
} from './pure-scalars.ts'
import { escapeTag } from './tag-text.ts'

/** Keys of that many characters are marked with `?`. */
const TOO_LONG_FOR_SIMPLE_KEY = 128

export class PureEmitter extends Emitter {
  private readonly handles = new Map([
    ['!', '!'],
    [YAML_PREFIX, '!!'],
  ])
  /** A plain root, or a block scalar that keeps its trailing breaks, must be ended by a mark if nothing follows. */
  private openEnded = false

  document(root: DumpNode): string {
    this.writeStart()
    this.node(root, 'root')
    this.writeIndent()
    if (this.options.explicitEnd) {
      this.writeIndicator('...', true)
      this.writeIndent()
    }
    if (this.openEnded) {
      this.writeIndicator('...', true)
      this.writeIndent()
    }
    return this.text
  }

  override writeIndicator(text: string, needsSpace: boolean, isSpace = false, isIndention = false): void {
    super.writeIndicator(text, needsSpace, isSpace, isIndention)
    this.openEnded = false
  }

  private writeStart(): void {
    const { version, tags, canonical, explicitStart } = this.options
    if (version) {
      if (version[0] !== 1) {
        throw new YamlError('EmitterError', `unsupported YAML version: ${version[0]}.${version[1]}`)
      }
      this.writeDirective(`%YAML ${version[0]}.${version[1]}`)
    }
    for (const handle of [...tags.keys()].sort()) {
      const prefix = tags.get(handle)!
      this.handles.set(prefix, handle)
      assertTagDirective(handle, prefix)
      this.writeDirective(`%TAG ${handle} ${escapePrefix(prefix)}`)
    }
    if (!explicitStart && !canonical && !version && tags.size === 0) return
    this.writeIndent()
    this.writeIndicator('---', true)
    if (canonical) this.writeIndent()
  }

  private writeDirective(text: string): void {
    this.put(text)
    this.putBreak()
    this.whitespace = true
    this.indention = true
  }

  protected writeAlias(node: DumpNode): void {
    this.writeIndicator(`*${node.anchor}`, true)
  }

  protected writeCollectionTag(node: DumpNode): void {
    const implicit = node.tag === (node.kind === 'sequence' ? SEQ : MAP)
    if (!implicit || this.options.canonical) this.writeIndicator(this.tagText(node.tag), true)
  }

  /** Of several matching prefixes, the last one in order is used. */
  private tagText(tag: string): string {
    let found: string | undefined
    for (const prefix of [...this.handles.keys()].sort()) {
      if (tag.startsWith(prefix) && (prefix === '!' || prefix.length < tag.length)) found = prefix
    }
    if (found === undefined) return `!<${escapeTag(tag, true)}>`
    const handle = this.handles.get(found)!
    return handle + escapeTag(tag.slice(found.length), handle !== '!')
  }

  protected isSimpleKey(node: DumpNode): boolean {
    let length = node.anchor?.length ?? 0
    if (!node.written) {
      if (node.kind === 'scalar' ? node.text === '' || this.analyze(node).multiline : node.items.length > 0)
        return false
      length += this.tagText(node.tag).length + Array.from(node.text).length
    }
    return length < TOO_LONG_FOR_SIMPLE_KEY
  }

  private analyze(node: DumpNode): Analysis {
    return analyzeScalar(node.text, PURE, this.options.unicode)
  }

  protected writeScalar(node: DumpNode, context: EmitterContext): void {
    const style = this.chooseStyle(node, context)
    const implicit = style === '' ? resolvePlain(node.text) === node.tag : node.tag === STR
    this.writeAnchor(node)
    if (!implicit || this.options.canonical) this.writeIndicator(this.tagText(node.tag), true)
    const outer = this.indent
    this.indent = this.deeper(true)
    this.writeScalarText(node.text, style, context)
    this.indent = outer
  }

  private chooseStyle(node: DumpNode, context: EmitterContext): ScalarStyle {
    const analysis = this.analyze(node)
    const isKey = context === 'simple-key'
    if (node.style === '"' || this.options.canonical) return '"'
    if (node.style === '' && resolvePlain(node.text) === node.tag) {
      const allowed = this.flowLevel > 0 ? analysis.flowPlain : analysis.blockPlain
      if (allowed && !(isKey && (node.text === '' || analysis.multiline))) return ''
    }
    if (node.style === '|' || node.style === '>') {
      return this.flowLevel === 0 && !isKey && analysis.block ? node.style : '"'
    }
    return analysis.singleQuoted && !(isKey && analysis.multiline) ? "'" : '"'
  }

  private writeScalarText(text: string, style: ScalarStyle, context: EmitterContext): void {
    const mayBreak = context !== 'simple-key'
    if (style === '"') writeDoubleQuoted(this, text, mayBreak, this.options.unicode)
    else if (style === "'") writeSingleQuoted(this, text, mayBreak)
    else if (style === '') {
      if (context === 'root') this.openEnded = true
      writePlain(this, text, mayBreak)
    } else {
      const hints = blockHints(text, this.options.indent)
      this.writeIndicator(style + hints, true)
      if (hints.endsWith('+')) this.openEnded = true
      if (style === '|') writeLiteral(this, text)
      else writeFolded(this, text)
    }
  }
}

/** A prefix may begin with `!`. */
const escapePrefix = (prefix: string): string => escapeTag(prefix, true)

function assertTagDirective(handle: string, prefix: string): void {
  const fail = (problem: string): never => {
    throw new YamlError('EmitterError', problem)
  }
  if (handle === '') fail('tag handle must not be empty')
  if (handle[0] !== '!' || handle.at(-1) !== '!') fail(`tag handle must start and end with '!': ${quote(handle)}`)
  const strange = /[^\w-]/u.exec(handle.slice(1, -1))
  if (strange) fail(`invalid character ${quote(strange[0])} in the tag handle: ${quote(handle)}`)
  if (prefix === '') fail('tag prefix must not be empty')
}
