// Answers in XML, read by element names. The position of an element does not matter: AWS and its substitutes differ
// there.
import type { XmlElement } from '../../../data/mod.ts'
import { type Dict, parseXml, type Value } from '../../../data/mod.ts'

export class AwsAnswer {
  private readonly element: XmlElement

  constructor(element: XmlElement) {
    this.element = element
  }

  static parse(text: string): AwsAnswer {
    return new AwsAnswer(parseXml(text))
  }

  get name(): string {
    return localName(this.element.name)
  }

  private elements(): XmlElement[] {
    return this.element.children.filter((child) => typeof child !== 'string')
  }

  children(): AwsAnswer[] {
    return this.elements().map((element) => new AwsAnswer(element))
  }

  /** Return the element at a path such as `groupSet.item`; undefined when there is none. */
  at(path: string): AwsAnswer | undefined {
    let at: XmlElement | undefined = this.element
    for (const name of path.split('.')) {
      at = at?.children.find((child) => typeof child !== 'string' && localName(child.name) === name) as XmlElement
      if (at === undefined) return undefined
    }
    return new AwsAnswer(at)
  }

  /** Return the text of the element at a path; null when it is absent or empty. */
  text(path: string): string | null {
    return this.at(path)?.content() ?? null
  }

  /** Return the text of this element; null when it is empty. */
  content(): string | null {
    const text = this.element.children.filter((child) => typeof child === 'string').join('')
    return text.trim() === '' ? null : text
  }

  number(path: string): number | null {
    const text = this.text(path)
    return text === null || !/^-?\d+$/.test(text) ? null : Number(text)
  }

  flag(path: string): boolean {
    return this.text(path) === 'true'
  }

  /** Return the entries of the list at a path: all elements within it. */
  rows(path: string): AwsAnswer[] {
    const list = this.at(path)
    return list === undefined ? [] : list.elements().map((element) => new AwsAnswer(element))
  }

  texts(path: string): string[] {
    return this.rows(path).map((row) => row.content() ?? '')
  }

  /** Return all elements of a name in this one, for lists without an element around them. */
  all(name: string): AwsAnswer[] {
    return this.elements()
      .filter((element) => localName(element.name) === name)
      .map((element) => new AwsAnswer(element))
  }

  /** Return a list of keys and values as a dict. */
  pairs(path: string, key = 'key', value = 'value'): Dict {
    return new Map(this.rows(path).map((row): [Value, Value] => [row.text(key), row.text(value) ?? '']))
  }

  /**
   * Return the whole content of this element: lists of `item` and `member`, dicts by element name, texts. `typed`
   * converts texts, for example to numbers or booleans.
   */
  value(typed: (text: string, name: string) => Value = (text) => text): Value {
    const elements = this.elements()
    if (elements.length === 0) return typed(this.content() ?? '', this.name)
    const inside = elements.map((element) => new AwsAnswer(element))
    if (inside.every(({ name }) => ENTRY_NAMES.has(name))) return inside.map((entry) => entry.value(typed))
    if (inside.every(({ name }) => name === 'entry')) {
      return new Map(inside.map((entry): [Value, Value] => [entry.text('key'), entry.text('value') ?? '']))
    }
    return new Map(inside.map((entry): [Value, Value] => [entry.name, entry.value(typed)]))
  }

  /** Return everything as Salt's programs show it: dicts by the names of elements, lists where a name comes again, None where nothing is. */
  shaped(): Value {
    const elements = this.elements()
    if (elements.length === 0) return this.content()
    const dict: Dict = new Map()
    const seen = new Set<string>()
    for (const element of elements) {
      const entry = new AwsAnswer(element)
      const value = entry.shaped()
      const known = dict.get(entry.name) ?? null
      if (!dict.has(entry.name)) dict.set(entry.name, value)
      else if (seen.has(entry.name)) (known as Value[]).push(value)
      else {
        dict.set(entry.name, [known, value])
        seen.add(entry.name)
      }
    }
    return dict
  }

  dict(typed?: (text: string, name: string) => Value): Dict {
    const value = this.value(typed)
    return value instanceof Map ? value : new Map()
  }
}

const ENTRY_NAMES = new Set(['item', 'member'])

const localName = (name: string): string => name.slice(Math.max(name.indexOf('}'), name.indexOf(':')) + 1)
