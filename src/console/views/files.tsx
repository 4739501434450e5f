import { Empty, View } from '../ui/basic.tsx'

export default function Files() {
  return (
    <View title="Files">
      <Empty title="Files" />
    </View>
  )
}
