// The changes of Salt's loader: a leading 0 is decimal, timestamps stay text, a duplicate key is an error, an ordered
// loader accepts `!!omap` on maps, unpadded base64 is accepted.
import { type Dict, dictHas, dictSet, OrderedDict, PyError, str, type Value } from '../../data/mod.ts'
import type { Node } from '../node.ts'
import { BINARY, INT, OMAP, PYTHON_UNICODE, TIMESTAMP } from '../tags.ts'
import { Constructor, isUnhashable } from './constructor.ts'
import { contentText } from './node-repr.ts'

const CONTEXT = 'while constructing a mapping'

export class SaltConstructor extends Constructor {
  private readonly ordered: boolean

  /** `ordered` makes every map an OrderedDict, as the renderer does. */
  constructor(source: string, ordered: boolean) {
    super(source)
    this.ordered = ordered
  }

  protected override make(node: Node): Value {
    switch (node.tag) {
      case TIMESTAMP:
        return this.scalarText(node)
      case BINARY:
        return this.binary(node, true)
      case OMAP:
        return this.ordered ? this.later(node, this.newMap()) : super.make(node)
      case PYTHON_UNICODE:
        return this.rawValue(node)
      default:
        return super.make(node)
    }
  }

  protected override newMap(): Dict {
    return this.ordered ? new OrderedDict() : new Map()
  }

  /** `!!python/unicode` returns the node's value unchanged. */
  private rawValue(node: Node): Value {
    if (node.kind === 'scalar') return node.text
    throw this.error(undefined, `could not determine a constructor for the tag '${node.tag}'`, node)
  }

  protected override scalarText(node: Node): string {
    if (node.tag === INT) {
      if (node.kind !== 'scalar') throw new PyError('AttributeError', "'list' object has no attribute 'startswith'")
      if (/^0[^bx]/.test(node.text)) node.text = node.text.replace(/^0+/, '') || '0'
    }
    return super.scalarText(node)
  }

  protected override fillMap(node: Node, map: Dict): void {
    if (node.kind !== 'mapping') throw this.unexpected('mapping', node)
    this.flatten(node)
    const { items } = node
    let plain = true
    for (let i = 0; i < items.length; i += 2) {
      const keyNode = items[i]!
      const key = this.object(keyNode)
      if (isUnhashable(key)) {
        throw this.error([CONTEXT, node], `found unacceptable key ${contentText(keyNode)}`, keyNode)
      }
      const value = this.object(items[i + 1]!)
      if (typeof key !== 'string' && typeof key !== 'number') plain = false
      // the Map distinguishes text and numbers like Python
      if (plain ? map.has(key) : dictHas(map, key)) {
        throw this.error([CONTEXT, node], `found conflicting ID '${str(key)}'`, keyNode)
      }
      if (plain) map.set(key, value)
      else dictSet(map, key, value)
    }
  }

  /** Drop merged keys that are also written out, comparing the keys' texts. */
  protected override combine(merged: Node[], own: Node[]): Node[] {
    const texts = new Set<string>()
    for (let i = 0; i < own.length; i += 2) if (own[i]!.kind === 'scalar') texts.add(own[i]!.text)
    const kept: Node[] = []
    for (let i = 0; i < merged.length; i += 2) {
      const key = merged[i]!
      if (key.kind !== 'scalar' || !texts.has(key.text)) kept.push(key, merged[i + 1]!)
    }
    for (const node of own) kept.push(node)
    return kept
  }
}
