import { Empty, View } from '../ui/basic.tsx'

export default function Events() {
  return (
    <View title="Events">
      <Empty title="Events" />
    </View>
  )
}
