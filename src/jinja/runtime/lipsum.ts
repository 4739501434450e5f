// `lipsum()`: filler text, different at every call.

import { Markup } from './markup.ts'
import { native } from './native.ts'

const WORDS =
  `ad adipiscing aliquam amet ante arcu at auctor augue bibendum blandit commodo congue consectetuer cras cubilia curae
 dapibus diam dictum dolor donec dui duis egestas eget elit enim erat eros est et etiam eu euismod facilisis fames
 felis fermentum feugiat fusce gravida habitant hendrerit iaculis id in integer ipsum justo lacinia lacus laoreet
 lectus leo libero ligula lobortis lorem luctus maecenas magna mattis mauris metus mi molestie mollis morbi nam nec
 neque nibh nisi nisl non nulla nunc odio orci ornare parturient pede pellentesque pharetra placerat porta posuere
 praesent proin pulvinar purus quam quis rhoncus risus rutrum sagittis sapien sed sem semper sit sodales sociis
 tellus tempor tincidunt tortor tristique turpis ullamcorper ultricies urna ut varius vel velit venenatis vestibulum
 vitae vivamus viverra volutpat vulputate`.split(/\s+/)

const below = (limit: number): number => Math.floor(Math.random() * limit)

function paragraph(least: number, most: number): string {
  const count = least + below(Math.max(1, most - least))
  const words: string[] = []
  let sentence = 0
  for (let i = 0; i < count; i++) {
    const word = WORDS[below(WORDS.length)]!
    words.push(sentence === 0 ? word[0]!.toUpperCase() + word.slice(1) : word)
    sentence++
    if (sentence > 10 + below(10) || i === count - 1) {
      words[i] += '.'
      sentence = 0
    } else if (sentence % 5 === 4) words[i] += ','
  }
  return words.join(' ')
}

export const lipsum = native(
  'generate_lorem_ipsum',
  ['n?', 'html?', 'min?', 'max?'],
  (_rt, n = 5, html = true, min = 20, max = 100) => {
    const paragraphs = Array.from({ length: Math.min(n, 10_000) }, () => paragraph(min, max))
    return html ? new Markup(paragraphs.map((text) => `<p>${text}</p>`).join('\n')) : paragraphs.join('\n\n')
  },
)
