// Notes between states for the document of `highstate_doc.render`, without any effect.
import { arg, defineState, state } from '../../../sdk/mod.ts'

/** Length from which a text is not repeated in the result. */
const SHORT = 200

export default defineState({
  name: 'highstate_doc',
  doc: 'Add notes to the document about the states of a machine.',
  functions: {
    note: state({
      doc: 'Add text to the document at the position of this state.',
      args: {
        name: arg.string('Name of the note'),
        source: arg.text('Path or URL of a file with the text', { optional: true }),
        contents: arg.text('Text', { optional: true }),
        kwargs: arg.open('Ignored'),
      },
      run: (_ctx, { name, source, contents }) => {
        const file = source ? `include file: ${source}\n` : ''
        const text = contents && contents.length < SHORT ? contents : ''
        return { name, result: true, comment: file + text, changes: {} }
      },
    }),
  },
})
