import { Empty, View } from '../ui/basic.tsx'

export default function Why() {
  return (
    <View title="Why">
      <Empty title="Why" />
    </View>
  )
}
