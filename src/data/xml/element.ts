/** An XML element; neighbouring text is one child. */
export interface XmlElement {
  name: string
  attributes: Map<string, string>
  children: Array<XmlElement | string>
}
