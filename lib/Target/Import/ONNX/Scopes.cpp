//===- Scopes.cpp - Subgraphs and functions of a model --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Scopes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relax::onnx;
using relax_onnx_wire::AttributeProto;
using relax_onnx_wire::FunctionProto;
using relax_onnx_wire::GraphProto;
using relax_onnx_wire::NodeProto;

// Recursion here follows the nesting of subgraphs, which reading the file has bounded.

static void rename(std::string &name, const Renames &renames) {
  auto known = renames.find(name);
  if (known != renames.end())
    name = known->second;
}

void mlir::relax::onnx::renameValues(NodeProto &node, const Renames &renames) {
  for (std::string &name : *node.mutable_input())
    rename(name, renames);
  for (std::string &name : *node.mutable_output())
    rename(name, renames);
  for (AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.has_g())
      renameValues(*attribute.mutable_g(), renames);
}

void mlir::relax::onnx::renameValues(GraphProto &graph, const Renames &renames) {
  for (auto &input : *graph.mutable_input())
    rename(*input.mutable_name(), renames);
  for (auto &tensor : *graph.mutable_initializer())
    rename(*tensor.mutable_name(), renames);
  for (NodeProto &node : *graph.mutable_node())
    renameValues(node, renames);
  for (auto &output : *graph.mutable_output())
    rename(*output.mutable_name(), renames);
  for (auto &info : *graph.mutable_value_info())
    rename(*info.mutable_name(), renames);
}

static const AttributeProto *findAttribute(const google::protobuf::RepeatedPtrField<AttributeProto> &attributes,
                                           const std::string &name) {
  for (const AttributeProto &attribute : attributes)
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

/// Puts the call's attributes in the place of references to them.
static void resolveAttributes(NodeProto &node, const NodeProto &call, const FunctionProto &function) {
  NodeProto resolved;
  for (AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.has_g())
      for (NodeProto &inner : *attribute.mutable_g()->mutable_node())
        resolveAttributes(inner, call, function);
    if (attribute.ref_attr_name().empty()) {
      *resolved.add_attribute() = attribute;
      continue;
    }
    const AttributeProto *given = findAttribute(call.attribute(), attribute.ref_attr_name());
    if (!given)
      given = findAttribute(function.attribute_proto(), attribute.ref_attr_name());
    if (!given)
      continue;
    AttributeProto &copy = *resolved.add_attribute();
    copy = *given;
    copy.set_name(attribute.name());
  }
  node.mutable_attribute()->Swap(resolved.mutable_attribute());
}

std::vector<NodeProto> mlir::relax::onnx::instantiate(const FunctionProto &function, const NodeProto &call,
                                                      StringRef prefix) {
  Renames renames;
  SmallVector<int> passedOn;
  auto addOwn = [&](const std::string &name) {
    if (!name.empty())
      renames.try_emplace(name, (prefix + name).str());
  };
  // An input that the call leaves out is missing inside too.
  for (int index = 0; index < function.input_size(); ++index)
    renames.try_emplace(function.input(index), index < call.input_size() ? call.input(index) : std::string());
  for (int index = 0; index < function.output_size(); ++index) {
    if (index >= call.output_size() || call.output(index).empty())
      addOwn(function.output(index));
    else if (!renames.try_emplace(function.output(index), call.output(index)).second)
      passedOn.push_back(index); // also an input, or named twice
  }
  std::vector<NodeProto> nodes(function.node().begin(), function.node().end());
  for (int index : passedOn) {
    NodeProto &identity = nodes.emplace_back();
    identity.set_op_type("Identity");
    identity.add_input(function.output(index));
  }
  for (const NodeProto &node : nodes)
    for (const std::string &name : node.output())
      addOwn(name);
  for (NodeProto &node : nodes) {
    renameValues(node, renames);
    resolveAttributes(node, call, function);
    node.set_name((prefix + node.name()).str());
  }
  for (auto [node, index] : llvm::zip(llvm::MutableArrayRef(nodes).take_back(passedOn.size()), passedOn))
    node.add_output(call.output(index));
  return nodes;
}

GraphProto mlir::relax::onnx::instantiate(const GraphProto &graph, StringRef prefix) {
  Renames renames;
  auto addOwn = [&](const std::string &name) {
    if (!name.empty())
      renames.try_emplace(name, (prefix + name).str());
  };
  for (const auto &input : graph.input())
    addOwn(input.name());
  for (const auto &tensor : graph.initializer())
    addOwn(tensor.name());
  for (const NodeProto &node : graph.node())
    for (const std::string &name : node.output())
      addOwn(name);
  GraphProto copy = graph;
  renameValues(copy, renames);
  return copy;
}
