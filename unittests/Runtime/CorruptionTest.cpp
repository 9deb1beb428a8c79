//===- CorruptionTest.cpp - Artifacts that were damaged -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RuntimeFixture.h"

#include <functional>

using namespace relax_rt;

namespace {

class CorruptionTest : public RuntimeTest {
protected:
  /// Changes the header and makes its checksum right again: what is tested is the check behind it.
  void expectHeaderRefused(const std::function<void(Header &)> &change, const std::string &text) {
    std::string image = makeTestArtifact().build();
    Header header = getHeader(image);
    change(header);
    setHeader(image, header);
    expectRefused(image, text);
  }
};

Section &sectionOf(Header &header, SectionKind kind) { return const_cast<Section &>(getSection(header, kind)); }

} // namespace

TEST_F(CorruptionTest, EveryTruncationIsRefused) {
  std::string image = makeTestArtifact().build();
  std::vector<size_t> lengths = {0, 1, 7, 8, 40, sizeof(Header), kPageSize - 1, kPageSize, kPageSize + 1};
  for (size_t length = kPageSize; length < image.size(); length += 509)
    lengths.push_back(length);
  lengths.push_back(image.size() - 1);
  for (size_t length : lengths)
    expectRefused(image.substr(0, length), length < 8 ? "not a Relax artifact" : "truncated");
  expectRefused(image + '\0', "its header says");
}

TEST_F(CorruptionTest, EveryChangedByteIsRefused) {
  // All of page 0, then a step that meets every section and the padding behind each.
  std::string image = makeTestArtifact().build();
  for (size_t i = 0; i < image.size(); i += i < kPageSize ? 1 : 41) {
    std::string changed = image;
    changed[i] = static_cast<char>(changed[i] ^ 0x40);
    file.write(changed);
    ASSERT_EQ(relax_rt_module_load(instance, file.path().c_str(), &module), RELAX_RT_INVALID_ARTIFACT) << i;
    ASSERT_EQ(module, nullptr);
  }
}

TEST_F(CorruptionTest, EachSectionIsNamed) {
  std::string image = makeTestArtifact().build();
  Header header = getHeader(image);
  for (auto [kind, name] : {std::make_pair(SectionKind::Checksums, "checksums"),
                            {SectionKind::Metadata, "metadata"},
                            {SectionKind::Code, "code"},
                            {SectionKind::Weights, "weights"}}) {
    const Section &section = getSection(header, kind);
    for (uint64_t at : {section.offset, section.offset + section.size - 1}) {
      std::string changed = image;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      expectRefused(changed, std::string(name) + " section: corrupt");
    }
  }
  std::string padded = image;
  const Section &weights = getSection(header, SectionKind::Weights);
  padded[weights.offset + weights.size] = 1;
  expectRefused(padded, "bytes between sections are not zero");
}

TEST_F(CorruptionTest, Versions) {
  expectHeaderRefused([](Header &header) { header.formatVersion = 1; }, "artifact format version 1, expected 3");
  expectHeaderRefused([](Header &header) { header.abiVersion = 9; }, "made for ABI version 9, this runtime has 7");
  expectHeaderRefused([](Header &header) { header.abiVersion = 2; }, "made for ABI version 2, this runtime has 7");
  expectHeaderRefused([](Header &header) { header.reserved = 1; }, "a reserved field is not zero");
  expectHeaderRefused([](Header &header) { header.fileSize += 4096; }, "truncated: the file has");
  std::string image = makeTestArtifact().build();
  image[offsetof(Header, headerCrc)] ^= 1;
  expectRefused(image, "corrupt header: the checksum does not match");
}

TEST_F(CorruptionTest, SectionTable) {
  auto code = SectionKind::Code;
  expectHeaderRefused([](Header &header) { header.numSections = 33; }, "33 sections, at most 32 are possible");
  expectHeaderRefused([](Header &header) { header.numSections = UINT32_MAX; }, "sections, at most 32");
  expectHeaderRefused([](Header &header) { header.numSections = 0; }, "checksums section: missing");
  expectHeaderRefused([](Header &header) { header.sections[0].kind = 77; }, "unknown kind 77");
  expectHeaderRefused([](Header &header) { header.sections[0].kind = 0; }, "unknown kind 0");
  expectHeaderRefused([](Header &header) { header.sections[0].flags = 1; }, "metadata section: unknown flags");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).kind = 2; }, "metadata section: present twice");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).kind = 4; }, "weights section: present twice");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).offset += 8; }, "code section: not aligned");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).offset = 0; }, "code section: outside");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).offset = ~uint64_t(4095); },
                      "code section: outside of the file");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).size = header.fileSize; },
                      "code section: outside of the file");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).size = UINT64_MAX; },
                      "code section: outside of the file");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).size += 4096; }, "overlaps another section");
  expectHeaderRefused([&](Header &header) { sectionOf(header, SectionKind::Weights).offset = 4096; },
                      "section: overlaps another section");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).checksumIndex = 1000; },
                      "code section: has no checksums");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).checksumIndex = UINT64_MAX; },
                      "code section: has no checksums");
  expectHeaderRefused([&](Header &header) { sectionOf(header, code).checksumIndex = 0; },
                      "code section: corrupt, the checksum of MiB 0");
  expectHeaderRefused([](Header &header) { sectionOf(header, SectionKind::Weights).size -= 1; }, "are not zero");
}

TEST_F(CorruptionTest, MetadataWithRightChecksums) {
  TestArtifact artifact = makeTestArtifact();
  artifact.rawMetadata = "garbage";
  expectRefused(artifact.build(), "metadata: ");
  TestArtifact odd = makeTestArtifact();
  odd.metadata.functions[0].outputs[0].isDonated = true;
  expectRefused(odd.build(), "metadata: function 'main': output 'y' is donated");
  artifact.rawMetadata = encodeMetadata(artifact.metadata) + "x";
  expectRefused(artifact.build(), "metadata: trailing bytes");
}
