# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Code for NVIDIA and AMD: every class of kernel compiles, what assemblers say of it, and what drivers are asked for."""
import os
import re
import shutil

import numpy as np
import pytest
from test_vulkan import CASES, function

CHIPS = {"nvidia": ["sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100", "sm_120", "compute_80"],
         "amd": ["gfx90a", "gfx942", "gfx1100", "gfx1201"]}
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
SAMPLE = ["exp", "product", "softmax_n", "transpose"]
needs_ptxas = pytest.mark.skipif(not PTXAS, reason="no ptxas: pip install nvidia-cuda-nvcc")
TARGETS = [pytest.param(f"{kind}:{chip}", marks=[needs_ptxas] if chip.startswith("sm_") else []) for kind, chips in CHIPS.items() for chip in chips]


def compile_to(tool, folder, target, cases, *options, **more):
    (folder / "f.mlir").write_text("".join(function(f"f_{name}", *CASES[name]) for name in cases))
    return tool("relax-compile", folder / "f.mlir", "--function=*", f"--target=cpu,{target}", "-o", folder / "f.rlx", *options, **more)


def check_resources(text):
    lines = re.findall(r"registers: (.*), spilled: (\d+) bytes, shared memory: (\d+) bytes", text)
    for registers, spilled, shared in lines:
        assert spilled == "0" and int(shared) <= 16384, text
        assert all(0 < int(number) <= 255 for number in re.findall(r"\d+", registers)), text
    return len(lines)


@pytest.mark.parametrize("target", TARGETS)
def test_sample(tool, tmp_path, target):
    """Nothing stays on the CPU, nothing spills, and shared memory is what the schedule says."""
    compiled = compile_to(tool, tmp_path, target, SAMPLE, "--report")
    assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
    stages = len(re.findall(r"stage\d+: ", compiled.stdout))
    assert stages >= len(SAMPLE)
    assert check_resources(compiled.stdout) == (0 if "compute" in target else stages), compiled.stdout
    if "compute" not in target:
        assert re.search(r"stage0: tiles, workgroup 64, shared memory (\d+) bytes.*\n.*(?:\n.*)*?shared memory: \1 bytes", compiled.stdout)


@pytest.mark.parametrize("target", ["nvidia:compute_80", pytest.param("nvidia:sm_90a", marks=needs_ptxas), "amd:gfx90a", "amd:gfx1201"])
def test_every_class(tool, tmp_path, target):
    compiled = compile_to(tool, tmp_path, target, CASES, "--report")
    assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
    check_resources(compiled.stdout)


@needs_ptxas
def test_files(tool, tmp_path):
    """Files of each chip, and those of relax-translate are the same."""
    compiled = compile_to(tool, tmp_path, "nvidia:sm_80,nvidia:compute_80,amd:gfx942", ["exp"], f"--save-device-code={tmp_path}/code", f"--ptxas={PTXAS}")
    assert compiled.returncode == 0, compiled.stderr
    files = {path.name: path.read_bytes() for path in (tmp_path / "code").iterdir()}
    assert sorted(files) == ["compute_80.exp.ll", "compute_80.exp.ptx", "gfx942.exp.hsaco", "gfx942.exp.ll", "gfx942.exp.s",
                             "sm_80.exp.cubin", "sm_80.exp.ll", "sm_80.exp.ptx"]
    assert files["sm_80.exp.cubin"][:4] == files["gfx942.exp.hsaco"][:4] == b"\x7fELF"
    assert b".entry stage0" in files["sm_80.exp.ptx"] and b"target triple = \"nvptx64" in files["sm_80.exp.ll"]
    emitted = compile_to(tool, tmp_path, "nvidia:sm_80,nvidia:compute_80,amd:gfx942", ["exp"], "--emit=mlir",
                         "--after=relax-device-kernels-to-spirv", "-o", tmp_path / "code.mlir")
    assert emitted.returncode == 0, emitted.stderr
    for flag, device, name in [("ptx", "nvidia:sm_80", "sm_80.exp.ptx"), ("cubin", "nvidia:sm_80", "sm_80.exp.cubin"),
                               ("amdgcn", "amd:gfx942", "gfx942.exp.s"), ("hsaco", "amd:gfx942", "gfx942.exp.hsaco")]:
        process = tool("relax-translate", f"--export-{flag}", tmp_path / "code.mlir", f"--device={device}", "-o", tmp_path / "out")
        assert process.returncode == 0 and (tmp_path / "out").read_bytes() == files[name], process.stderr
    process = tool("relax-translate", "--export-cubin", tmp_path / "code.mlir", "--device=amd:gfx942")
    assert process.returncode == 1 and "no target 'amd:gfx942', the module has 'nvidia:sm_80'" in process.stderr, process.stderr


def test_refused(tool, tmp_path):
    for target in ["nvidia:sm_75", "nvidia:sm_90b", "amd:gfx803", "nvidia:"]:
        compiled = compile_to(tool, tmp_path, target, ["exp"])
        assert compiled.returncode == 1 and f"unknown device '{target}', expected" in compiled.stderr, compiled.stderr
    compiled = compile_to(tool, tmp_path, "nvidia:sm_80", ["exp"], "--ptxas=/none")
    assert compiled.returncode == 1 and "no code for 'nvidia:sm_80': cannot run '/none' (pip install" in compiled.stderr, compiled.stderr


def test_ptxas(tool, tmp_path):
    """Where it is looked for: the toolkit that a variable names, then Python packages; nowhere else."""
    plain = {key: value for key, value in os.environ.items() if key not in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "VIRTUAL_ENV")}
    plain.update(PATH=str(tmp_path), CUDA_HOME=str(tmp_path / "toolkit"))

    def make(folder):
        """A program that writes its folder to the file behind -o."""
        path = tmp_path / folder / "bin/ptxas"
        path.parent.mkdir(parents=True)
        path.write_text(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf {folder} > "$2"\n')
        path.chmod(0o755)

    def compile_with(**environment):
        return compile_to(tool, tmp_path, "nvidia:sm_80", ["exp"], f"--save-device-code={tmp_path}/code", env={**plain, **environment})

    compiled = compile_with()
    assert compiled.returncode == 1, compiled.stderr
    assert (f"no code for 'nvidia:sm_80': no 'ptxas' in PATH, '{tmp_path}/toolkit/bin' (pip install nvidia-cuda-nvcc; "
            "--target=nvidia:compute_80 needs none)") in compiled.stderr, compiled.stderr
    package = "environment/lib/python3.11/site-packages/nvidia/cu13"
    for folder in [package, "toolkit"]:
        make(folder)
        compiled = compile_with(VIRTUAL_ENV=str(tmp_path / "environment"))
        assert compiled.returncode == 0, compiled.stderr
        assert (tmp_path / "code/sm_80.exp.cubin").read_text().rstrip("\0") == folder  # whole words
    # What an assembler says is passed on.
    (tmp_path / "toolkit/bin/ptxas").write_text("#!/bin/sh\necho wrong >&2\nexit 3\n")
    compiled = compile_with()
    assert compiled.returncode == 1 and f"no code of kernel 'exp' for 'nvidia:sm_80': '{tmp_path}/toolkit/bin/ptxas' failed: wrong" in compiled.stderr


def run(tool, build, folder, device, **environment):
    values = np.linspace(-4, 4, 700, dtype=np.float32).reshape(100, 7)
    np.savez(folder / "in.npz", arg0=values)
    (folder / "log").write_text("")
    process = tool("relax-run", folder / "f.rlx", f"--device={device}", "--inputs", folder / "in.npz", "--outputs", folder / "out.npz", "--counters",
                   env={**os.environ, "LD_LIBRARY_PATH": str(build / "drivers"), "DRIVER_LOG": f"{folder}/log", "DRIVER_CODE": f"{folder}/code",
                        "DRIVER_WORDS": "2", **environment})
    if process.returncode == 0:
        with np.load(folder / "out.npz") as outputs:
            np.testing.assert_allclose(outputs["result0"], np.exp(values), rtol=1e-6)
    return process, (folder / "log").read_text().splitlines()


def test_driver_of_cuda(tool, build, tmp_path):
    """The code that fits the device is loaded and launched over 700 elements; what fails is said."""
    targets = "nvidia:compute_80" + (",nvidia:sm_80,nvidia:sm_90a" if PTXAS else "")
    assert compile_to(tool, tmp_path, targets, ["exp"], f"--save-device-code={tmp_path}/code").returncode == 0
    for chip, is_elf in [("80", True), ("86", True), ("87", False), ("90", True), ("100", False), ("121", False)]:
        process, log = run(tool, build, tmp_path, "nvidia", DRIVER_CHIP=chip)
        assert process.returncode == 0 and "device: emulator 0\ndevice launches: 1\n" in process.stdout, process.stderr
        assert log[0].startswith("load ELF for machine 190" if is_elf and PTXAS else "load text of "), (chip, log)
        assert log[1:] == ["stage0", "launch 11 1 1 of 64 1 1, elements 700", "synchronize", "synchronize", "unload", "end"], log
    for environment, text in [({"DRIVER_CHIP": "75"}, "no code for device 'nvidia' that runs on 'emulator 0'"),
                              ({"DRIVER_CHIP": "80", "DRIVER_INIT": "34"}, "device 'nvidia' is unavailable: the CUDA driver finds no device (result 34)"),
                              ({"DRIVER_CHIP": "80", "DRIVER_LOAD": "209"}, "CUDA: cuModuleLoadData failed with 209"),
                              ({"DRIVER_CHIP": "80", "DRIVER_CODE": f"{tmp_path}"}, f"emulator: what is to be loaded is no file of '{tmp_path}'")]:
        process, _ = run(tool, build, tmp_path, "nvidia", **environment)
        assert process.returncode == 1 and text in process.stderr, process.stderr


def test_driver_of_hip(tool, build, tmp_path):
    assert compile_to(tool, tmp_path, "amd:gfx90a,amd:gfx1100", ["exp"], f"--save-device-code={tmp_path}/code").returncode == 0
    for chip in ["gfx90a:sramecc+:xnack-", "gfx1100"]:
        process, log = run(tool, build, tmp_path, "amd", DRIVER_CHIP=chip)
        assert process.returncode == 0, process.stderr
        assert log[:3] == ["load ELF for machine 224", "stage0", "launch 11 1 1 of 64 1 1, elements 700"], log
    process, _ = run(tool, build, tmp_path, "amd", DRIVER_CHIP="gfx942")
    assert process.returncode == 1 and "no code for device 'amd' that runs on 'emulator 0'" in process.stderr, process.stderr


def test_failed_launch(tool, build, tmp_path):
    """What the emulator says of a kernel ends the run."""
    assert compile_to(tool, tmp_path, "nvidia:compute_80", ["exp"], f"--save-device-code={tmp_path}/code").returncode == 0
    code = tmp_path / "code/compute_80.exp.ll"
    text = code.read_text()
    code.write_text(re.sub(r"(load float, ptr addrspace\(1\) )%\d+", r"\1inttoptr (i64 64 to ptr addrspace(1))", text))
    process, _ = run(tool, build, tmp_path, "nvidia", DRIVER_CHIP="80")
    assert process.returncode == 1 and "CUDA: cuLaunchKernel failed with 700" in process.stderr, process.stderr
    assert "emulator: kernel 'stage0', block 0,0,0: thread 0 is out of bounds of all buffers: " in process.stderr, process.stderr


def test_no_driver(tool, build, tmp_path):
    assert compile_to(tool, tmp_path, "nvidia:compute_80,amd:gfx90a", ["exp"]).returncode == 0
    for library in ["libcuda.so.1", "libamdhip64.so.7"]:
        (tmp_path / library).write_text("no library")  # in front of a real one
    process, _ = run(tool, build, tmp_path, "nvidia", LD_LIBRARY_PATH=str(tmp_path))
    assert process.returncode == 1 and "device 'nvidia' is unavailable: no CUDA driver: cannot open 'libcuda.so.1'" in process.stderr, process.stderr
    process, _ = run(tool, build, tmp_path, "amd", LD_LIBRARY_PATH=str(tmp_path))
    assert process.returncode == 1 and "device 'amd' is unavailable: " in process.stderr, process.stderr
